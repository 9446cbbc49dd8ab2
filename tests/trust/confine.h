/* SPDX-License-Identifier: MIT
 *
 * What a host may refuse a process: system calls (by seccomp, for all of its threads), memory that
 * becomes executable. None of it can be taken back. Steps of trust_cases.c.
 */
#ifndef CONFINE_H
#define CONFINE_H

/* No mapping may be writable and executable: who asks for one is killed. */
void kill_writable_code(void);

/* Memory may not become executable, as SELinux's execmem has it: EACCES. */
void refuse_code_in_memory(void);

/* The same by PR_SET_MDWE. Ends the program with EXIT_SKIP where the kernel lacks it. */
void refuse_executable_gain(void);

/* Nothing new may be executable, neither memory nor files: EPERM. */
void refuse_all_code(void);

/* No thread can be made: EAGAIN. */
void refuse_threads(void);

/* Nothing but the system calls that a sandbox has to allow, which `print_allowed` lists: whoever
 * makes another one is killed, with a message. */
void allow_few(void);
void print_allowed(void);

/* Files cannot be opened any more: EACCES. */
void refuse_files(void);

#endif
