// The front end: everything a kernel's author needs. See docs/front_end.md.
#pragma once

#include "kernel_audit/trace/array.h"
#include "kernel_audit/trace/call.h"
#include "kernel_audit/trace/control.h"
#include "kernel_audit/trace/pipeline.h"
#include "kernel_audit/trace/ref.h"
#include "kernel_audit/trace/sync.h"
#include "kernel_audit/trace/trace_error.h"
#include "kernel_audit/trace/value.h"
