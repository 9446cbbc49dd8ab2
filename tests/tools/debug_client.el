;;; debug_client.el --- emacs' DAP client, without a screen  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: MIT
;;
;; emacs --batch -l debug_client.el ADAPTER CAPTURE X,Y DATA SOURCE LINE [PORT]
;;
;; dap-mode, unmodified, debugs a pixel of a capture: a data breakpoint at DATA, back to who wrote it, a breakpoint in the file
;; SOURCE at LINE, steps, steps back, values. Stops, values and lanes are printed, a line each. With a PORT the adapter listens
;; there already.

(package-initialize)
(setq user-emacs-directory (file-name-as-directory (make-temp-file "clipfree-emacs" t))
      dap-breakpoints-file (expand-file-name "breakpoints" user-emacs-directory)
      dap-utils-extension-path (expand-file-name "extensions" user-emacs-directory)
      dap-auto-configure-features nil
      lsp-session-file (expand-file-name "session" user-emacs-directory))
(require 'dap-mode)
(require 'dap-ui)

(defconst debug-client-seconds 60)
(defvar debug-client-stopped nil "The body of the last stopped event.")
(defvar debug-client-arrived nil "Whether the client shows the frame of the last stop.")

(defun debug-client-say (format &rest words)
  "Print a line: WORDS by FORMAT."
  (princ (concat (apply #'format format words) "\n")))

(defun debug-client-wait (done)
  "Serve the client's processes until DONE gives something."
  (with-timeout (debug-client-seconds (debug-client-say "TIMEOUT") (kill-emacs 1))
    (while (not (funcall done))
      (accept-process-output nil 0.02))))

(advice-add 'dap--on-event :before
            (lambda (_session event)
              (let ((body (gethash "body" event)))
                (when (equal (gethash "event" event) "stopped")
                  (setq debug-client-stopped body debug-client-arrived nil)))))
(add-hook 'dap-stack-frame-changed-hook
          (lambda (session)
            (when (and (dap--debug-session-active-frame session) debug-client-stopped)
              (setq debug-client-arrived t))))

(defun debug-client-stop (what)
  "Wait until the client shows the next stop, and print it as WHAT."
  (debug-client-wait (lambda () debug-client-arrived))
  (with-current-buffer (window-buffer)   ; what a person sees
    (debug-client-say "STOP %s | %s | %s | %s:%d | %s" what (gethash "reason" debug-client-stopped)
                      (gethash "description" debug-client-stopped)
                      (if buffer-file-name (file-name-nondirectory buffer-file-name) "-") (line-number-at-pos)
                      (gethash "name" (dap--debug-session-active-frame (dap--cur-session)))))
  (setq debug-client-arrived nil debug-client-stopped nil))

(defun debug-client-values (session)
  "Print all variables of the frame that SESSION shows, as the client's views ask for them."
  (let ((frame (gethash "id" (dap--debug-session-active-frame session))))
    (seq-doseq (scope (gethash "scopes" (dap-request session "scopes" :frameId frame)))
      (seq-doseq (variable (gethash "variables" (dap-request session "variables" :variablesReference
                                                             (gethash "variablesReference" scope))))
        (debug-client-say "VALUE %s | %s | %s" (gethash "name" scope) (gethash "name" variable)
                          (gethash "value" variable))))))

(defun debug-client-watch (session name)
  "Set a data breakpoint of SESSION at NAME; the client has no command for it, and sends what it is given."
  (let ((id (gethash "dataId" (dap-request session "dataBreakpointInfo" :name name))))
    (debug-client-say "DATA %s" id)
    (dap-request session "setDataBreakpoints" :breakpoints (vector (list :dataId id)))))

(pcase-let* ((`(,adapter ,capture ,pixel ,data ,source ,line ,port) command-line-args-left))
  (setq command-line-args-left nil)
  (dap-register-debug-provider "clipfree" #'identity)
  (find-file source)
  (goto-char (point-min))
  (forward-line (1- (string-to-number line)))
  (dap-breakpoint-toggle)
  (dap-debug (append (list :type "clipfree" :request "launch" :name "clipfree" :capture capture :pixel pixel)
                     (if port (list :host "127.0.0.1" :debugServer (string-to-number port))
                       (list :dap-server-path (list adapter "--dap")))))
  (debug-client-stop "entry")
  (let ((session (dap--cur-session)))
    (seq-doseq (thread (gethash "threads" (dap-request session "threads")))
      (debug-client-say "LANE %s" (gethash "name" thread)))
    (debug-client-watch session data)
    (dap--step "reverseContinue" session)
    (debug-client-stop "data")
    (dap-request session "setDataBreakpoints" :breakpoints [])
    (dap-continue session (dap--debug-session-thread-id session))
    (debug-client-stop "continue")
    (dap-next session)
    (debug-client-stop "next")
    (debug-client-values session)
    (dap--step "stepBack" session)
    (debug-client-stop "stepBack")
    (dap-step-out session)
    (debug-client-stop "stepOut")
    (debug-client-values session)
    (dap--step "reverseContinue" session)
    (debug-client-stop "reverseContinue")
    (dap-disconnect session)
    (accept-process-output nil 0.2))
  (debug-client-say "DONE"))
;;; debug_client.el ends here
