/* SPDX-License-Identifier: MIT */
#include "fuzz_plain.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define PLACES (1u << 16)
#define MOST_FRAMES 40
#define STACK_B (64 * 1024)
#define PRINTF_LIKE __attribute__((format(printf, 1, 2)))

int LLVMFuzzerInitialize(int *argc, char ***argv);
/* Of the sanitizers' library, which says what it found itself. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct input {
   uint8_t *data;
   size_t size_B;
};

struct plain {
   const char *artifacts; /* the beginning of the names of findings */
   const char *corpus;    /* NULL: nothing is kept */
   unsigned long seconds, timeout_s, memory_MB, longest_B;
   struct input *input;
   uint32_t inputs, capacity;
   struct input current;
   uint64_t random;
   uint64_t executions, voids;
   volatile sig_atomic_t ended; /* by a signal */
   uint32_t reached; /* places */
   uint8_t place[PLACES / 8];
};

/* Handlers of signals and what targets call have no other way to it. */
static struct plain plain = { .artifacts = "", .longest_B = 4096, .timeout_s = 60 };

void
fuzz_reach(uint64_t what)
{
   what *= 0x9e3779b97f4a7c15ull;
   const uint32_t place = (uint32_t)(what >> 48);
   const uint8_t bit = (uint8_t)(1u << place % 8);
   plain.reached += !(plain.place[place / 8] & bit);
   plain.place[place / 8] |= bit;
}

void
fuzz_void(void)
{
   plain.voids++;
}

/* ---- findings ---- */

static void
write_whole(int file, const void *data, size_t size_B)
{
   const char *at = data;
   while (size_B > 0) {
      const ssize_t written_B = write(file, at, size_B);
      if (written_B <= 0)
         return;
      at += written_B;
      size_B -= (size_t)written_B;
   }
}

/* As dprintf(2, ...), which allocates: the handler may have interrupted malloc, which then would
 * wait for itself. */
static void PRINTF_LIKE
say(const char *format, ...)
{
   char text[4096];
   va_list values;
   va_start(values, format);
   const int length_B = vsnprintf(text, sizeof(text), format, values);
   va_end(values);
   write_whole(STDERR_FILENO, text, (size_t)length_B);
}

static void
print_totals(void)
{
   say("cov: %u\nstat::number_of_executed_units: %" PRIu64 "\n%" PRIu64 " came to nothing\n",
       plain.reached, plain.executions, plain.voids);
}

/* Keep the input that runs. Before the last word. */
static void
keep_finding(void)
{
   char path[4000];
   snprintf(path, sizeof(path), "%scrash-%016" PRIx64, plain.artifacts,
            fuzz_hash(plain.current.data, plain.current.size_B));
   const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   if (file >= 0) {
      write_whole(file, plain.current.data, plain.current.size_B);
      close(file);
   }
   print_totals();
   say("Test unit written to %s\n", path);
}

static void
on_signal(int number)
{
   void *frame[MOST_FRAMES];
   signal(number, SIG_DFL);
   if (number == SIGPROF)
      say("FINDING: it takes more than %lu s\n", plain.timeout_s);
   else if (number != SIGABRT) /* which follows a message */
      say("FINDING: signal %d, %s\n", number, sigdescr_np(number));
   backtrace_symbols_fd(frame, backtrace(frame, MOST_FRAMES), STDERR_FILENO);
   keep_finding();
   raise(number);
}

/* SIGUSR1 is libFuzzer's, too. */
static void
on_end(int number)
{
   (void)number;
   plain.ended = 1;
}

/* On a stack of its own: one of what is found is a recursion without an end. */
static void
watch(void)
{
   static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
   static uint8_t stack[STACK_B];
   const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
   struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
   void *frame[1];
   backtrace(frame, 1); /* loads its library now */
   sigaltstack(&own, NULL);
   sigaction(SIGPROF, &action, NULL);
   signal(SIGUSR1, on_end);
   if (__sanitizer_set_death_callback) {
      __sanitizer_set_death_callback(keep_finding);
      return;
   }
   for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
      sigaction(signals[i], &action, NULL);
   const struct rlimit limit = { plain.memory_MB << 20, plain.memory_MB << 20 };
   if (plain.memory_MB)
      setrlimit(RLIMIT_DATA, &limit);
}

/* ---- inputs ---- */

static void
add_input(struct input input)
{
   if (plain.inputs == plain.capacity) {
      plain.capacity = 2 * plain.capacity + 64;
      plain.input = realloc(plain.input, plain.capacity * sizeof(*plain.input));
   }
   plain.input[plain.inputs++] = input;
}

static struct input
copy_of(const uint8_t *data, size_t size_B)
{
   struct input copy = { malloc(size_B + 1), size_B };
   memcpy(copy.data, data, size_B);
   return copy;
}

static bool
read_input(const char *path)
{
   struct stat about;
   FILE *file = fopen(path, "rb");
   if (!file || fstat(fileno(file), &about) || !S_ISREG(about.st_mode)) {
      if (file)
         fclose(file);
      return false;
   }
   struct input input = { malloc((size_t)about.st_size + 1), 0 };
   input.size_B = fread(input.data, 1, (size_t)about.st_size, file);
   fclose(file);
   add_input(input);
   return true;
}

/* A folder's files, in the order of their names, so that a seed repeats a run; or a file. */
static void
read_inputs(const char *path)
{
   struct dirent **entry;
   const int count = scandir(path, &entry, NULL, alphasort);
   for (int i = 0; i < count; i++) {
      char name[4096];
      snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
      read_input(name);
      free(entry[i]);
   }
   if (count >= 0)
      free(entry);
   else if (!read_input(path))
      perror(path);
}

static void
run_input(struct input input)
{
   const struct itimerval limit = { .it_value.tv_sec = (time_t)plain.timeout_s };
   plain.current = input;
   plain.executions++;
   setitimer(ITIMER_PROF, &limit, NULL);
   LLVMFuzzerTestOneInput(input.data, input.size_B);
}

/* Run a new input; keep it if it reaches something that none before it did. */
static void
try_input(const uint8_t *data, size_t size_B)
{
   const uint32_t before = plain.reached;
   const struct input input = copy_of(data, size_B);
   char path[4096];
   run_input(input);
   if (plain.reached == before) {
      free(input.data);
      return;
   }
   add_input(input);
   snprintf(path, sizeof(path), "%016" PRIx64, fuzz_hash(data, size_B));
   if (plain.corpus)
      fuzz_write_seed(plain.corpus, path, data, size_B);
}

/* ---- as libFuzzer ---- */

size_t
LLVMFuzzerMutate(uint8_t *data, size_t size_B, size_t max_B)
{
   const uint32_t way = fuzz_random(&plain.random, 3);
   if (size_B < max_B && (way == 0 || size_B == 0)) {
      const size_t at = fuzz_random(&plain.random, (uint32_t)size_B + 1);
      memmove(data + at + 1, data + at, size_B - at);
      data[at] = (uint8_t)fuzz_random(&plain.random, 256);
      return size_B + 1;
   }
   const size_t at = fuzz_random(&plain.random, (uint32_t)size_B);
   if (way == 1) {
      memmove(data + at, data + at + 1, size_B - at - 1);
      return size_B - 1;
   }
   data[at] = (uint8_t)fuzz_random(&plain.random, 256);
   return size_B;
}

static double
now_s(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool
goes_on(double end_s)
{
   return !plain.ended && now_s() < end_s;
}

static void
fuzz(void)
{
   const double end_s = now_s() + (double)plain.seconds;
   uint8_t *data = malloc(plain.longest_B + 1);
   const uint32_t first = plain.inputs;
   for (uint32_t i = 0; i < first && (i == 0 || goes_on(end_s)); i++)
      run_input(plain.input[i]);
   while (goes_on(end_s)) {
      const struct input *from =
         plain.inputs ? &plain.input[fuzz_random(&plain.random, plain.inputs)] : NULL;
      size_t size_B = from && from->size_B <= plain.longest_B ? from->size_B : 0;
      if (size_B)
         memcpy(data, from->data, size_B);
      size_B = LLVMFuzzerCustomMutator(data, size_B, plain.longest_B,
                                       fuzz_random(&plain.random, 1u << 31));
      try_input(data, size_B);
   }
   free(data);
}

static void
read_option(const char *word)
{
   static const struct {
      const char *name;
      unsigned long *value;
   } numbers[] = { { "-max_total_time=", &plain.seconds },
                   { "-max_len=", &plain.longest_B },
                   { "-timeout=", &plain.timeout_s },
                   { "-rss_limit_mb=", &plain.memory_MB } };
   static const char artifacts[] = "-artifact_prefix=";
   for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
      if (!strncmp(word, numbers[i].name, strlen(numbers[i].name)))
         *numbers[i].value = strtoul(word + strlen(numbers[i].name), NULL, 0);
   }
   if (!strncmp(word, artifacts, strlen(artifacts)))
      plain.artifacts = word + strlen(artifacts);
}

int
main(int argc, char **argv)
{
   const char *seed = getenv("CLIPFREE_TEST_SEED");
   LLVMFuzzerInitialize(&argc, &argv);
   for (int i = 1; i < argc; i++) {
      if (argv[i][0] == '-')
         read_option(argv[i]);
   }
   plain.random = seed && *seed ? strtoull(seed, NULL, 0) : (uint64_t)(1e6 * now_s());
   fprintf(stderr, "CLIPFREE_TEST_SEED=%" PRIu64 "\n", plain.random);
   for (int i = 1; i < argc; i++) {
      if (argv[i][0] == '-')
         continue;
      if (!plain.corpus && plain.seconds)
         plain.corpus = argv[i];
      read_inputs(argv[i]);
   }
   watch();
   if (plain.seconds) {
      fuzz();
   } else {
      for (uint32_t i = 0; i < plain.inputs; i++)
         run_input(plain.input[i]);
   }
   print_totals();
   return 0;
}
