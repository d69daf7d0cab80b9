import { expect, it } from "vitest";
import { conditionalRequests } from "../../../../test/support/conditional-requests.ts";
import { unmetCondition } from "../../src/tools.ts";

it.each(conditionalRequests)("W1 the conditions of a request with %s", (_, headers, status) => {
  const tag = '"0a1b2c"';
  expect(unmetCondition(new Headers(headers(tag)), tag) ?? 200).toBe(status);
});

it("W1 the conditions of a request for a resource without a tag", () => {
  const of = (headers: Record<string, string>) => unmetCondition(new Headers(headers), undefined);
  expect(of({ "if-none-match": "*" })).toBe(304);
  expect(of({ "if-none-match": '"a"' })).toBeUndefined();
  expect(of({ "if-match": "*" })).toBeUndefined();
  expect(of({ "if-match": '"a"' })).toBe(412);
});
