/* SPDX-License-Identifier: MIT */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report_run.h"

/** The report as JSON (docs/report.md). */
json_t *report_json(const struct report *report, const char *path);

#endif
