/* SPDX-License-Identifier: MIT */
#include "debug_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "look/look_error.h"

#define MAX_MESSAGE_B (16u << 20)

/* ------------------------------------------------------------------ open */

static bool
listen_at(int listener, int port, char *error, size_t error_B)
{
   struct sockaddr_in address = { .sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
   socklen_t size = sizeof(address);
   const int on = 1;
   setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
   if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
       getsockname(listener, (struct sockaddr *)&address, &size))
      return look_fails(error, error_B, "port %d of the loopback: %s; --port 0 takes a free one",
                        port, strerror(errno));
   printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
   fflush(stdout);
   return true;
}

/* The first client. */
static bool
open_port(struct debug_wire *wire, int port, char *error, size_t error_B)
{
   const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
   if (listener < 0)
      return look_fails(error, error_B, "no socket: %s", strerror(errno));
   const int client = listen_at(listener, port, error, error_B) ? accept(listener, NULL, NULL) : -1;
   close(listener);
   wire->in = client < 0 ? NULL : fdopen(client, "r");
   wire->out = client < 0 ? NULL : fdopen(dup(client), "w");
   return (wire->in && wire->out) || client < 0 || look_fails(error, error_B, "out of memory");
}

bool
debug_wire_open(struct debug_wire *wire, int port, char *error, size_t error_B)
{
   *wire = (struct debug_wire){ .in = stdin, .out = stdout };
   error[0] = 0;
   if (port < 0)
      return true;
   if (open_port(wire, port, error, error_B) && wire->in)
      return true;
   if (!error[0])
      look_fails(error, error_B, "no client came: %s", strerror(errno));
   return false;
}

void
debug_wire_close(struct debug_wire *wire)
{
   if (wire->in && wire->in != stdin)
      fclose(wire->in);
   if (wire->out && wire->out != stdout)
      fclose(wire->out);
}

/* ------------------------------------------------------------------ messages */

/* The length that a message's header gives; 0: there is no message. */
static size_t
read_header(FILE *in)
{
   char line[256];
   size_t length = 0;
   while (fgets(line, sizeof(line), in)) {
      if (!strcmp(line, "\r\n") || !strcmp(line, "\n"))
         return length <= MAX_MESSAGE_B ? length : 0;
      sscanf(line, "Content-Length: %zu", &length);
   }
   return 0;
}

json_t *
debug_wire_read(struct debug_wire *wire)
{
   const size_t length = read_header(wire->in);
   char *text = length ? malloc(length) : NULL;
   json_t *message = NULL;
   if (text && fread(text, 1, length, wire->in) == length)
      message = json_loadb(text, length, 0, NULL);
   free(text);
   return message;
}

static void
send_message(struct debug_wire *wire, json_t *message)
{
   json_object_set_new(message, "seq", json_integer(++wire->seq));
   char *text = json_dumps(message, JSON_COMPACT);
   if (text) {
      fprintf(wire->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
      fflush(wire->out);
   }
   free(text);
   json_decref(message);
}

static json_t *
response_to(const json_t *request, bool success)
{
   return json_pack("{s:s, s:O, s:O, s:b}", "type", "response", "request_seq",
                    json_object_get(request, "seq"), "command", json_object_get(request, "command"),
                    "success", success);
}

void
debug_wire_answer(struct debug_wire *wire, const json_t *request, json_t *body)
{
   json_t *response = response_to(request, true);
   if (!response) {
      json_decref(body);
      return;
   }
   if (body)
      json_object_set_new(response, "body", body);
   send_message(wire, response);
}

void
debug_wire_refuse(struct debug_wire *wire, const json_t *request, const char *reason)
{
   json_t *response = response_to(request, false);
   if (!response)
      return;
   json_object_set_new(response, "message", json_string(reason));
   json_object_set_new(
      response, "body",
      json_pack("{s:{s:i, s:s, s:b}}", "error", "id", 1, "format", reason, "showUser", 1));
   send_message(wire, response);
}

void
debug_wire_event(struct debug_wire *wire, const char *event, json_t *body)
{
   json_t *message = json_pack("{s:s, s:s}", "type", "event", "event", event);
   if (body)
      json_object_set_new(message, "body", body);
   send_message(wire, message);
}
