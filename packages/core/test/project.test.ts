import { expect, it } from "vitest";
import { contextEntry, toMessages } from "../src/context/project.ts";

it("C5 a message whose middle has changed is made anew, one that has not is the same object", () => {
  const [first, second, third] = ["a", "b", "c"].map((text, at) =>
    contextEntry("user", [{ type: "text", text }], at + 1),
  ) as [ReturnType<typeof contextEntry>, ReturnType<typeof contextEntry>, ReturnType<typeof contextEntry>];
  const [whole] = toMessages([first, second, third]);
  expect(toMessages([first, second, third])[0]).toBe(whole);
  const redacted = contextEntry("user", [{ type: "text", text: "[redacted]" }], 2);
  const [changed] = toMessages([first, redacted, third]);
  expect(changed?.content).toMatchObject([{ text: "a" }, { text: "[redacted]" }, { text: "c" }]);
});
