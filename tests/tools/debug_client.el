;;; debug_client.el --- emacs' DAP client, without a screen  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: MIT
;;
;; emacs --batch -l debug_client.el ADAPTER CAPTURE VARIABLES X,Y DATA SOURCE LINE [PORT]
;;
;; dap-mode, unmodified, debugs a pixel of a capture: a data breakpoint at DATA, back to who wrote it, a breakpoint in the
;; file SOURCE at LINE, steps, steps back, values. Then draw 0, with a breakpoint on a pixel, and the pixel in the capture
;; VARIABLES, whose locals the client's own view shows. Stops, values and lanes are printed, a line each. With a PORT the
;; adapter listens there already, for the first session alone.

(package-initialize)
(setq user-emacs-directory (file-name-as-directory (make-temp-file "clipfree-emacs" t))
      dap-breakpoints-file (expand-file-name "breakpoints" user-emacs-directory)
      dap-utils-extension-path (expand-file-name "extensions" user-emacs-directory)
      dap-auto-configure-features nil
      lsp-session-file (expand-file-name "session" user-emacs-directory))
(require 'dap-mode)
(require 'dap-ui)
(defvar treemacs-text-scale nil "Debian's lsp-treemacs is newer than its treemacs, which lacks it; the view needs it.")

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

;; The client has no commands for these two breakpoints, and sends what it is given.
(defun debug-client-watch (session name)
  "Set a data breakpoint of SESSION at NAME."
  (let ((id (gethash "dataId" (dap-request session "dataBreakpointInfo" :name name))))
    (debug-client-say "DATA %s" id)
    (dap-request session "setDataBreakpoints" :breakpoints (vector (list :dataId id)))))

(defun debug-client-pixel (session name)
  "Set a breakpoint of SESSION on a pixel of this NAME."
  (let ((set (dap-request session "setFunctionBreakpoints" :breakpoints (vector (list :name name)))))
    (debug-client-say "PIXEL %s" (gethash "verified" (elt (gethash "breakpoints" set) 0)))))

(defun debug-client-locals (what)
  "Print what the client's view of variables shows, as WHAT."
  (dap-ui-locals--refresh)
  (with-current-buffer dap-ui--locals-buffer
    (dolist (line (split-string (buffer-string) "\n" t "[ \t]+"))
      (debug-client-say "VIEW %s | %s" what (substring-no-properties line)))))

(defun debug-client-begin (adapter port &rest words)
  "Debug what the launch request's WORDS say, and return the session at its first stop."
  (dap-debug (append (list :type "clipfree" :request "launch" :name "clipfree") words
                     (if port (list :host "127.0.0.1" :debugServer (string-to-number port))
                       (list :dap-server-path (list adapter "--dap")))))
  (debug-client-stop "entry")
  (dap--cur-session))

(defun debug-client-end (session)
  "End SESSION, and wait until the client has seen it."
  (dap-disconnect session)
  (accept-process-output nil 0.2)
  (setq debug-client-arrived nil debug-client-stopped nil))

(defun debug-client-writer (adapter port capture pixel data)
  "A PIXEL of CAPTURE: who wrote its DATA, and steps there."
  (let ((session (debug-client-begin adapter port :capture capture :pixel pixel)))
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
    (debug-client-end session)))

(defun debug-client-draw (adapter capture)
  "Draw 0 of CAPTURE: a breakpoint on a pixel of it, a step there and back."
  (let ((session (debug-client-begin adapter nil :capture capture :draw 0)))
    (debug-client-pixel session "pixel 0,43")
    (dap-continue session (dap--debug-session-thread-id session))
    (debug-client-stop "pixel")
    (dap-next session)
    (debug-client-stop "next")
    (debug-client-locals "draw")
    (dap--step "stepBack" session)
    (debug-client-stop "stepBack")
    (debug-client-end session)))

(defun debug-client-variables (adapter variables pixel data)
  "The same PIXEL in the capture VARIABLES: locals of who wrote its DATA."
  (let ((session (debug-client-begin adapter nil :capture variables :pixel pixel)))
    (debug-client-watch session data)
    (dap--step "reverseContinue" session)
    (debug-client-stop "data")
    (dap-request session "setDataBreakpoints" :breakpoints [])
    (debug-client-locals "start")
    (dap-step-out session)
    (debug-client-stop "stepOut")
    (debug-client-locals "end")
    (debug-client-end session)))

(pcase-let ((`(,adapter ,capture ,variables ,pixel ,data ,source ,line ,port) command-line-args-left))
  (setq command-line-args-left nil)
  (dap-register-debug-provider "clipfree" #'identity)
  (find-file source)
  (goto-char (point-min))
  (forward-line (1- (string-to-number line)))
  (dap-breakpoint-toggle)
  (debug-client-writer adapter port capture pixel data)
  (unless port
    (dap-breakpoint-delete-all)
    (debug-client-draw adapter capture)
    (debug-client-variables adapter variables pixel data))
  (debug-client-say "DONE"))
;;; debug_client.el ends here
