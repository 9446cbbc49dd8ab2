/* SPDX-License-Identifier: MIT */
/*
 * What is captured: events of a program against the submissions that must be taken; the option's
 * text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/capture/cf_capture_trigger.h"

/* Play a program's events: s a submission, P a frame, U the signal, ( a debug group "sky", <
 * another one, ) the end of a group, m a marker "sky". Writes to `taken` a letter for each
 * submission of the capture that is left in the end, a for the first one made, and whether the
 * capture is complete. */
static bool
play(const char *option, const char *events, char taken[64])
{
   struct cf_capture_config config;
   struct cf_capture_trigger trigger = { &config };
   bool done = false;
   size_t count = 0, marked = 0;
   char letter = 'a';
   assert_true(cf_capture_parse(option, &config));
   trigger.signals = cf_capture_signals();
   for (; *events; events++) {
      enum cf_trigger_verdict verdict = CF_TRIGGER_GO_ON;
      bool took;
      switch (*events) {
      case 's':
         took = !done && cf_trigger_takes(&trigger);
         if (took)
            taken[count++] = letter;
         letter++;
         verdict = cf_trigger_submitted(&trigger, took);
         break;
      case 'P':
         verdict = cf_trigger_presented(&trigger);
         break;
      case 'U':
         raise(SIGUSR2);
         break;
      case '(':
      case '<':
         verdict =
            cf_trigger_marked(&trigger, CF_GPU_GROUP_BEGIN, *events == '<' ? "sea" : "a sky!");
         break;
      case ')':
         verdict = cf_trigger_marked(&trigger, CF_GPU_GROUP_END, NULL);
         break;
      case 'm':
         verdict = cf_trigger_marked(&trigger, CF_GPU_MARKER, "sky");
         break;
      }
      if (done)
         continue;
      done = verdict == CF_TRIGGER_DONE;
      marked = verdict == CF_TRIGGER_MARK ? count : marked;
      count = verdict == CF_TRIGGER_RESTART ? 0 : count;
   }
   if (!done && cf_trigger_ends_at_mark(&trigger)) {
      count = marked;
      done = true;
   }
   taken[count] = 0;
   return done;
}

static void
takes(void **state)
{
   static const struct {
      const char *option, *events, *taken;
      bool done;
   } cases[] = {
      { "file=f", "sssPssP", "abc", true },
      { "file=f,frame=0,count=2", "sssPssPs", "abcde", true },
      { "file=f,frame=1", "sssPssPsP", "de", true },
      { "file=f,frame=2,count=3", "ssPsPsPssPsP", "defg", true },
      { "file=f,frame=1", "sssPs", "d", false },
      { "file=f,frame=7", "sssPssP", "", false },
      /* nothing is presented: submissions are frames */
      { "file=f", "sss", "a", true },
      { "file=f,count=2", "sss", "ab", true },
      { "file=f,frame=1,count=2", "sssss", "bc", true },
      { "file=f,frame=9", "sss", "", false },
      /* what counted as frames was part of the first one */
      { "file=f,frame=2,count=1", "sssssPsPssP", "gh", true },
      { "file=f,frame=1,count=4", "sssPsPsPsPsP", "defg", true },
      { "file=f,submission=2,count=2", "ssPssPs", "cd", true },
      { "file=f,submission=2,count=2", "sss", "c", false },
      { "file=f,signal", "ssUss", "c", true },
      { "file=f,signal,count=2", "sPsUsPssPsPs", "def", true },
      { "file=f,signal", "sPssPs", "", false },
      { "file=f,signal", "sPUs", "", false },
      { "file=f,marker=sky", "sPs(ss)sP", "cd", true },
      { "file=f,marker=sky", "sP<s(s<s)m)ss)P", "cd", true },
      { "file=f,count=2,marker=sky", "s(s)s(s)s(s)", "bd", true },
      { "file=f,marker=sky", "sPsmssPs", "cd", true },
      { "file=f,marker=sky", "s(sPs)s", "b", true },
      /* a group that begins after the marker is not the marker's */
      { "file=f,marker=sky", "sPsm(s)sPs", "cd", true },
      /* marks do not matter where none is asked for */
      { "file=f,frame=1", "s(sPsm)ssP", "cde", true },
      { "file=f,marker=sky", "s<s)sP", "", false },
      { "file=f,marker=sky", "s(s", "b", false },
   };
   char taken[64];
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const bool done = play(cases[i].option, cases[i].events, taken);
      if (strcmp(taken, cases[i].taken) != 0 || done != cases[i].done)
         fail_msg("%s, %s: took \"%s\", done %d", cases[i].option, cases[i].events, taken, done);
   }
}

/* A first frame that is too long is not captured in part. */
static void
long_first_frame(void **state)
{
   struct cf_capture_config config;
   struct cf_capture_trigger trigger = { &config };
   char text[400];
   assert_true(cf_capture_parse("file=f,count=2", &config));
   unsigned taken = 0;
   for (unsigned i = 0; i < 2 + CF_TRIGGER_MAX_FIRST_FRAME + 1; i++) {
      const bool takes = cf_trigger_takes(&trigger);
      taken += takes;
      cf_trigger_submitted(&trigger, takes);
   }
   assert_int_equal(taken, 2 + CF_TRIGGER_MAX_FIRST_FRAME);
   assert_int_equal(cf_trigger_presented(&trigger), CF_TRIGGER_RESTART);
   cf_trigger_describe(&trigger, text, sizeof(text));
   assert_non_null(strstr(text, "frame 0 has more than 64 submissions"));
}

/* The end of a frame is captured with what is captured of it. */
static void
takes_frames(void **state)
{
   static const struct {
      const char *option;
      bool taken[4]; /* at the end of each frame, of 2 submissions; a signal after the first */
   } cases[] = {
      { "file=f,frame=1,count=2", { false, true, true, false } },
      { "file=f,submission=3,count=9", { false, true, true, true } },
      { "file=f,signal,count=9", { false, true, true, true } },
      { "file=f,marker=sky", { false, false, true, false } },
   };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_capture_config config;
      struct cf_capture_trigger trigger = { &config };
      assert_true(cf_capture_parse(cases[i].option, &config));
      trigger.signals = cf_capture_signals();
      for (unsigned frame = 0; frame < 4; frame++) {
         if (frame == 2)
            cf_trigger_marked(&trigger, CF_GPU_MARKER, "a sky");
         for (unsigned k = 0; k < 2; k++)
            cf_trigger_submitted(&trigger, cf_trigger_takes(&trigger));
         if (frame == 0)
            raise(SIGUSR2);
         if (cf_trigger_takes_frame(&trigger) != cases[i].taken[frame])
            fail_msg("%s: frame %u", cases[i].option, frame);
         cf_trigger_presented(&trigger);
      }
   }
}

static void
describes(void **state)
{
   static const struct {
      const char *option, *events, *text;
   } cases[] = {
      { "file=f,frame=3", "sPsP", "frame 3 was never presented, there were 2" },
      { "file=f,frame=3", "ss", "submission 3 was never made, there were 2" },
      { "file=f,submission=3,count=2", "ssss", "submission 4 was never made, there were 4" },
      { "file=f,signal", "sP", "SIGUSR2 did not come" },
      { "file=f,signal", "sPUP", "SIGUSR2 came too late" },
      { "file=f,count=2,marker=sky", "s(s)", "1 of 2 markers or debug groups with \"sky\"" },
   };
   char text[400];
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_capture_config config;
      struct cf_capture_trigger trigger = { &config };
      assert_true(cf_capture_parse(cases[i].option, &config));
      trigger.signals = cf_capture_signals();
      for (const char *e = cases[i].events; *e; e++) {
         if (*e == 's')
            cf_trigger_submitted(&trigger, cf_trigger_takes(&trigger));
         else if (*e == 'P')
            cf_trigger_presented(&trigger);
         else if (*e == 'U')
            raise(SIGUSR2);
         else
            cf_trigger_marked(&trigger, *e == '(' ? CF_GPU_GROUP_BEGIN : CF_GPU_GROUP_END,
                              *e == '(' ? "sky" : NULL);
      }
      cf_trigger_describe(&trigger, text, sizeof(text));
      if (!strstr(text, cases[i].text))
         fail_msg("%s, %s: %s", cases[i].option, cases[i].events, text);
   }
}

static void
parses(void **state)
{
   struct cf_capture_config config;
   assert_true(cf_capture_parse("file=a b=c", &config));
   assert_string_equal(config.path, "a b=c");
   assert_true(config.start == CF_CAPTURE_AT_FRAME && config.first == 0 && config.count == 1);
   assert_true(cf_capture_parse("file=f,count=3,frame=4294967295", &config));
   assert_true(config.start == CF_CAPTURE_AT_FRAME && config.first == UINT32_MAX);
   assert_int_equal(config.count, 3);
   assert_true(cf_capture_parse("file=f,submission=7,count=2", &config));
   assert_true(config.start == CF_CAPTURE_AT_SUBMISSION && config.first == 7 && config.count == 2);
   assert_true(cf_capture_parse("file=f,signal", &config));
   assert_true(config.start == CF_CAPTURE_AT_SIGNAL);
   assert_true(cf_capture_parse("file=f,count=2,marker=sky, at night,count=x", &config));
   assert_true(config.start == CF_CAPTURE_AT_MARKER && config.count == 2);
   assert_string_equal(config.marker, "sky, at night,count=x");
   static const char *const wrong[] = {
      "",
      "nonsense",
      "file=",
      "file=,frame=1",
      "frame=1,file=f",
      "file=f,",
      "file=f,,frame=1",
      "file=f,frame=",
      "file=f,frame=-1",
      "file=f,frame=4294967296",
      "file=f,frame=1x",
      "file=f,count=0",
      "file=f,count=0,marker=x",
      "file=f,frame=1,submission=1",
      "file=f,signal,frame=1",
      "file=f,signal=1",
      "file=f,marker=",
      "file=f,signal,marker=x",
      "file=f,frames=1",
      "file=f,submission=",
   };
   for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
      if (cf_capture_parse(wrong[i], &config))
         fail_msg("%s was taken", wrong[i]);
   }
   char long_text[5000];
   memset(long_text, 'x', sizeof(long_text));
   long_text[sizeof(long_text) - 1] = 0;
   memcpy(long_text, "file=", 5);
   assert_false(cf_capture_parse(long_text, &config));
   memcpy(long_text, "file=f,marker=", 14);
   assert_false(cf_capture_parse(long_text, &config));
}

static volatile int own;

static void
own_handler(int number)
{
   own++;
}

static void
own_action(int number, siginfo_t *info, void *context)
{
   own += number == SIGUSR2 && info->si_pid == getpid() && context;
}

/* A process that has `action` for the signal watches it, and gets one. Whether it counts it, and
 * its own handler was called so often. */
static bool
counts_after(const struct sigaction *action, int calls)
{
   fflush(NULL);
   const pid_t child = fork();
   if (child == 0) {
      sigaction(SIGUSR2, action, NULL);
      cf_capture_watch_signal();
      raise(SIGUSR2);
      exit(cf_capture_signals() == 1 && own == calls ? 0 : 1);
   }
   int status;
   return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whatever the process does with the signal itself, it is counted, and does not end it. */
static void
watches(void **state)
{
   assert_true(counts_after(&(struct sigaction){ .sa_handler = SIG_DFL }, 0));
   assert_true(counts_after(&(struct sigaction){ .sa_handler = SIG_IGN }, 0));
   assert_true(counts_after(&(struct sigaction){ .sa_handler = own_handler }, 1));
   assert_true(
      counts_after(&(struct sigaction){ .sa_sigaction = own_action, .sa_flags = SA_SIGINFO }, 1));
}

/* The process' own handler is called as well. From here on this process watches the signal. */
static void
chains(void **state)
{
   signal(SIGUSR2, own_handler);
   cf_capture_watch_signal();
   const unsigned before = cf_capture_signals();
   raise(SIGUSR2);
   assert_int_equal(own, 1);
   assert_int_equal(cf_capture_signals(), before + 1);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(watches), /* first: afterwards the signal is watched for good */
      cmocka_unit_test(chains),           cmocka_unit_test(takes),
      cmocka_unit_test(takes_frames),     cmocka_unit_test(describes),
      cmocka_unit_test(long_first_frame), cmocka_unit_test(parses),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
