/* SPDX-License-Identifier: MIT */
/*
 * clipfree why CAPTURE [DRAW] X,Y: what happened to a pixel, and why it looks as it does.
 */
#include <stdio.h>

#include "clipfree/interface/cf_options.h"
#include "look/look_options.h"

#include "why_ask.h"
#include "why_text.h"

struct why_request {
   struct why_question question;
   bool json;
};

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { .name = "DRAW", .text = "ask for this draw: its number in the capture, from 0" },
   { .name = "X,Y",
     .text = "column and row, from the upper left corner of what was presented, or drawn last" },
   { "--image", "0xA", "of the image whose pixels are at this address",
     "an address such as 0x2801000, as --json prints them", .parse = look_set_address,
     .offset = offsetof(struct why_request, question.image) },
   { "--all", NULL, "what came before the last clear, too",
     .offset = offsetof(struct why_request, question.all) },
   { "--json", NULL, "JSON (docs/why.md)", .offset = offsetof(struct why_request, json) },
   { NULL },
};

static const struct look_tool tool = {
   .name = "clipfree why",
   .synopsis = "clipfree why [OPTION...] CAPTURE [DRAW] X,Y",
   .text = "Everything that wanted a pixel, in order, what became of it, and a verdict.\n",
   .options = options,
   .least_words = 2,
   .most_words = 3,
   .failure = 1,
};

static int
answer(const struct why_request *request)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   json_t *document = why_ask(&request->question, NULL, NULL, error, sizeof(error));
   if (!document)
      return look_complain(&tool, "%s", error);
   if (request->json)
      return look_print_json(&tool, document, 2);
   why_print(stdout, document);
   json_decref(document);
   return look_finish(&tool, 0);
}

int
main(int argc, char **argv)
{
   struct why_request request = { .question.draw = WHY_NO_DRAW };
   struct why_question *question = &request.question;
   const char *word[3] = { NULL };
   const int status = look_parse(&tool, argc, argv, &request, word);
   if (status != LOOK_CONTINUE)
      return status;
   const char *pixel = word[2] ? word[2] : word[1];
   question->path = word[0];
   if (!look_parse_pixel(pixel, &question->x_px, &question->y_px))
      return look_wrong(&tool, "%s is no pixel; it may be two numbers, X,Y", pixel);
   if (word[2] && !cf_parse_number(word[1], WHY_NO_DRAW - 1, &question->draw))
      return look_wrong(&tool, "%s is no draw; it may be a number from 0", word[1]);
   return answer(&request);
}
