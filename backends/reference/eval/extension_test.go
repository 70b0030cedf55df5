package eval_test

import _ "ltc/internal/test/interpreter" // what the suite's programs exchange
