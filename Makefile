# The front door. What a target does is in the script it calls; `make` alone lists them.

.DEFAULT_GOAL := help
.PHONY: help demo dev check test soak bench lint test-rust test-web test-browser deny

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | column -t -s '|'

demo:  ## build everything and run it with the demo utility on http://127.0.0.1:8080
	@scripts/demo

dev:  ## like demo, from an unoptimised build, with the web reloading as you edit it
	@scripts/dev

check:  ## while you work: format, types, lints and the tests that need no server
	@scripts/check

test:  ## before a change lands: install what the tests need, then run all of them
	@scripts/test

soak:  ## hours: promises under faults, benchmarks, fuzzing; results go to docs/RESULTS.md
	@scripts/soak

bench:  ## the benchmarks alone: product and peers side by side on this machine
	@scripts/bench

lint:  ## formatting, clippy, the web's linter and types
	@scripts/test lint

test-rust:  ## the Rust tests alone
	@scripts/test rust

test-web:  ## the web's unit tests alone
	@scripts/test web

test-browser:  ## the browser tests alone
	@scripts/test browser

deny:  ## licences, sources and bans of the dependencies
	@scripts/test deny
