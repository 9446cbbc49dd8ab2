/* SPDX-License-Identifier: MIT */
#include "confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gles2_context.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65 /* Linux 6.3 */
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#define FAIL(error) (SECCOMP_RET_ERRNO | (error))
#define MOST_RULES 48
#define RULE_LENGTH 6

/* Calls of a system call with all of the bits in an argument; bits 0: all calls. */
struct rule {
   long call;
   unsigned argument;
   unsigned bits;
};

/* Instructions for one rule: `action`, or on to the next. */
static void
write_rule(struct sock_filter at[RULE_LENGTH], const struct rule *rule, unsigned action)
{
   const unsigned argument =
      (unsigned)(offsetof(struct seccomp_data, args) + rule->argument * sizeof(__u64));
   const struct sock_filter code[RULE_LENGTH] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)rule->call, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument), /* its lower half */
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->bits),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->bits, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
   };
   for (unsigned i = 0; i < RULE_LENGTH; i++)
      at[i] = code[i];
}

/* From now on, in all threads: `action` for what a rule has, `otherwise` for the rest. */
static void
filter(const struct rule *rules, unsigned count, unsigned action, unsigned otherwise)
{
   struct sock_filter code[MOST_RULES * RULE_LENGTH + 1];
   if (count > MOST_RULES)
      die("%u rules are too many", count);
   for (unsigned i = 0; i < count; i++)
      write_rule(code + i * RULE_LENGTH, &rules[i], action);
   code[count * RULE_LENGTH] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
   const struct sock_fprog program = { (unsigned short)(count * RULE_LENGTH + 1), code };
   if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
      perror("seccomp");
      exit(EXIT_SKIP);
   }
}

/* Refuse calls with an action, and allow the rest. */
#define REFUSE(action, ...)                                                                        \
   do {                                                                                            \
      static const struct rule rules[] = { __VA_ARGS__ };                                          \
      filter(rules, sizeof(rules) / sizeof(rules[0]), action, SECCOMP_RET_ALLOW);                  \
   } while (0)

void
kill_writable_code(void)
{
   REFUSE(SECCOMP_RET_KILL_PROCESS, { SYS_mmap, 2, PROT_WRITE | PROT_EXEC },
          { SYS_mprotect, 2, PROT_WRITE | PROT_EXEC },
          { SYS_pkey_mprotect, 2, PROT_WRITE | PROT_EXEC });
}

void
refuse_code_in_memory(void)
{
   REFUSE(FAIL(EACCES), { SYS_mprotect, 2, PROT_EXEC }, { SYS_pkey_mprotect, 2, PROT_EXEC },
          { SYS_mmap, 2, PROT_WRITE | PROT_EXEC });
}

void
refuse_executable_gain(void)
{
   if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
      perror("PR_SET_MDWE");
      exit(EXIT_SKIP);
   }
}

void
refuse_all_code(void)
{
   REFUSE(FAIL(EPERM), { SYS_mprotect, 2, PROT_EXEC }, { SYS_pkey_mprotect, 2, PROT_EXEC },
          { SYS_mmap, 2, PROT_EXEC });
}

void
refuse_threads(void)
{
   /* the flags of clone3 are in memory: who lacks it uses clone */
   REFUSE(FAIL(ENOSYS), { .call = SYS_clone3 });
   REFUSE(FAIL(EAGAIN), { SYS_clone, 0, CLONE_THREAD });
}

/* ---- a strict sandbox ---- */

static const struct {
   const char *name;
   long call;
} allowed[] = {
   { "brk", SYS_brk },
   { "clock_gettime", SYS_clock_gettime },
   { "clock_nanosleep", SYS_clock_nanosleep },
   { "close", SYS_close },
   { "exit", SYS_exit },
   { "exit_group", SYS_exit_group },
   { "futex", SYS_futex },
   { "getpid", SYS_getpid },
   { "gettid", SYS_gettid },
   { "madvise", SYS_madvise },
   { "mmap", SYS_mmap },
   { "mprotect", SYS_mprotect },
   { "mremap", SYS_mremap },
   { "munmap", SYS_munmap },
   { "read", SYS_read },
   { "rt_sigprocmask", SYS_rt_sigprocmask },
   { "rt_sigreturn", SYS_rt_sigreturn },
   { "sched_yield", SYS_sched_yield },
   { "sysinfo", SYS_sysinfo },
   { "write", SYS_write },
};
#define ALLOWED_COUNT (sizeof(allowed) / sizeof(allowed[0]))

void
print_allowed(void)
{
   for (unsigned i = 0; i < ALLOWED_COUNT; i++)
      printf("%s\n", allowed[i].name);
}

static void
tell_refused(int signal, siginfo_t *info, void *context)
{
   char text[80];
   (void)signal, (void)context;
   const int length =
      snprintf(text, sizeof(text), "system call %d is not allowed\n", info->si_syscall);
   if (write(STDOUT_FILENO, text, (size_t)length) != length)
      _exit(5);
   _exit(4);
}

void
allow_few(void)
{
   struct rule rules[ALLOWED_COUNT] = { 0 };
   const struct sigaction action = { .sa_sigaction = tell_refused, .sa_flags = SA_SIGINFO };
   for (unsigned i = 0; i < ALLOWED_COUNT; i++)
      rules[i].call = allowed[i].call;
   sigaction(SIGSYS, &action, NULL);
   filter(rules, ALLOWED_COUNT, SECCOMP_RET_ALLOW, SECCOMP_RET_TRAP);
}

void
refuse_files(void)
{
   REFUSE(FAIL(EACCES), { .call = SYS_openat }, { .call = SYS_open }, { .call = SYS_renameat },
          { .call = SYS_unlinkat }, { .call = SYS_mkdir }, { .call = SYS_memfd_create });
}
