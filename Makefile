# Every task of the project. 'make' alone lists them.
# test, interop, proof and demo share one optimised build, so that what is tested is what is shipped.

SWIFT ?= swift
CONFIGURATION := release
BINARY := .build/$(CONFIGURATION)/reveille
SEED ?= $(shell date +%s)
SUITE := scripts/suite
SWIFT_TEST := $(SWIFT) test -c $(CONFIGURATION) --skip-build --disable-xctest

.DEFAULT_GOAL := help
.PHONY: help bootstrap build demo test interop proof lint format bench docs install soak fuzz \
	test-tsan test-asan clean

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap: ## install the Debian packages that the build needs
	@scripts/bootstrap build

build: bootstrap ## build the program and its tests
	@$(SUITE) build $(SWIFT) build -c $(CONFIGURATION) --build-tests

$(BINARY): bootstrap
	@$(SUITE) build $(SWIFT) build -c $(CONFIGURATION) --product reveille

demo: $(BINARY) ## show one notification on its whole way, offline
	@$(SUITE) demo $(BINARY) demo --once

test: build ## run the tests: a tenth of each large count, a fixed and a fresh seed
	@REVEILLE_TEST_SEED=$(SEED) REVEILLE_BINARY=$(abspath $(BINARY)) \
		$(SUITE) test $(SWIFT_TEST)

interop: build ## prove the program against peers written by others
	@scripts/bootstrap interop
	@REVEILLE_BINARY=$(abspath $(BINARY)) $(SUITE) interop scripts/interop

proof: build ## run the large counts
	@REVEILLE_TEST_SEED=$(SEED) REVEILLE_BINARY=$(abspath $(BINARY)) REVEILLE_TEST_SCALE=proof \
		$(SUITE) proof $(SWIFT_TEST) --filter Proof

# Everything but hidden folders, so that no new folder is left out.
lint: ## check layout and language rules
	@$(SUITE) lint $(SWIFT) format lint --strict --parallel --recursive .

format: ## rewrite the layout
	@$(SWIFT) format --in-place --parallel --recursive .

bench: build ## measure against the yardsticks
	@scripts/bootstrap bench
	@$(SUITE) bench scripts/bench

docs: ## check the documents: links, commands and tables
	@scripts/check-docs

PREFIX ?= /usr/local
install: $(BINARY) ## install the program to $(PREFIX)/bin, with its unit
	@install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/reveille
	@install -d -m 755 $(DESTDIR)$(PREFIX)/lib/systemd/system
	@sed 's|/usr/local/bin/reveille|$(PREFIX)/bin/reveille|' deploy/reveille.service \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/reveille.service
	@chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/reveille.service

soak: build ## run for hours: crashes by the thousand
	@REVEILLE_TEST_SEED=$(SEED) REVEILLE_BINARY=$(abspath $(BINARY)) REVEILLE_TEST_SCALE=soak \
		$(SUITE) soak $(SWIFT_TEST) --filter Proof

fuzz: bootstrap ## fuzz the readers, FUZZ_SECONDS (600) each
	@$(SUITE) fuzz scripts/fuzz

test-tsan: bootstrap ## run the tests under the thread sanitizer
	@$(SUITE) sanitize scripts/sanitize thread

test-asan: bootstrap ## run the tests under the address sanitizer
	@$(SUITE) sanitize scripts/sanitize address

clean: ## remove what was built
	@rm -rf .build .build-tsan .build-asan .build-fuzz build
