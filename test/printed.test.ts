import { afterEach, expect, it } from "vitest";
import { allowPrinted, beginTest, checkPrinted, expectPrinted, watchConsole } from "./support/printed.ts";

const printed: string[] = [];
const own = {
  error: (line: string) => void printed.push(line),
  warn: (line: string) => void printed.push(line),
};
watchConsole(own);
afterEach(() => {
  printed.length = 0;
});

it.each(["error", "warn"] as const)(
  "console.%s fails a test that does not expect it, and prints",
  async (level) => {
    own[level]("pawl: lost");
    await expect(checkPrinted()).rejects.toThrow("not expected (see test/support/printed.ts):\npawl: lost");
    expect(printed).toEqual(["pawl: lost"]);
  },
);

it("an expected line is not printed, and any other fails the test", async () => {
  expectPrinted("the database is down", /^pawl: \d+/);
  own.error("pawl: the database is down");
  own.warn("pawl: 12");
  own.error("pawl: Overloaded");
  await expect(checkPrinted()).rejects.toThrow(/:\npawl: Overloaded$/);
  expect(printed).toEqual(["pawl: Overloaded"]);
});

it("a line that was expected and does not come fails the test", async () => {
  expectPrinted("the database is down", "Overloaded");
  own.error("Overloaded");
  await expect(checkPrinted(0)).rejects.toThrow(/was not:\nthe database is down$/);
});

it("an expected line may come after the test's last statement", async () => {
  expectPrinted("the database is down");
  setTimeout(() => own.error("pawl: the database is down"), 20);
  await checkPrinted();
});

it("a line that is allowed may come or not", async () => {
  allowPrinted("Overloaded", "cut off");
  own.error("pawl: Overloaded");
  await checkPrinted();
  expect(printed).toEqual([]);
});

it("what one test expects, the next does not", async () => {
  allowPrinted("Overloaded");
  await checkPrinted();
  own.error("Overloaded");
  await expect(checkPrinted()).rejects.toThrow("Overloaded");
});

it("a test that ends while another one runs leaves the lines of both to the other one", async () => {
  const end = beginTest();
  own.error("pawl: lost");
  await end();
  await expect(checkPrinted()).rejects.toThrow("pawl: lost");
});

it("this process's console is watched, and lines are compared as they would be printed", async () => {
  expectPrinted("a 1 { b: 2 }");
  console.error("a %d", 1, { b: 2 });
  await checkPrinted();
});
