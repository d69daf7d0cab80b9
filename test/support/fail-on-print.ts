import { afterAll, beforeEach } from "vitest";
import { beginTest, checkPrinted, forgetPrinted, watchConsole } from "./printed.ts";

// Runs before each test file. A hook that is registered first runs last, after those of the test and of its file.
forgetPrinted();
watchConsole();
beforeEach(({ onTestFinished }) => onTestFinished(beginTest()));
afterAll(() => checkPrinted());
