#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's entry for programs that have a main of their own; it is linked by `-sanitize=fuzzer`.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one_input)(const uint8_t *data, size_t size));
