// Repeated requests have one effect (P8): the answer to a changing call is kept for 24 h under its
// request id, written in the batch that did the work, and a repeat gets that answer.
#pragma once

#include <functional>

#include "core/master/book.h"

namespace dt::core {

inline constexpr Duration requests_kept{24 * 3600 * 1000};

// Replies with what `handle` says, or with what it said the first time.
void answer_request(Step& step, const RequestInfo& request,
                    const std::function<Result<Value>()>& handle);

// {"code", "message", "hint"}: of one thing among many.
Value error_value(const Status& status);

void forget_old_requests(Step& step);
Time next_request_end(const Book& book);

}  // namespace dt::core
