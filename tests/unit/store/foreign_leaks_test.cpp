// For runs under the leak sanitizer: libpqxx 6.4 loses the result of a statement whose connection
// breaks (connection_base::exec_prepared). It is some hundred bytes for each outage.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx-6\n"; }
