import { expect, it } from "vitest";
import { problemWithNode } from "../src/command/node-version.ts";

it.each(["20.20.2", "22.17.1"])("Q5 U6 refuses Node %s", (version) => {
  expect(problemWithNode(version)).toBe(`Node 22.18 or newer is needed; this is ${version}.`);
});

it.each(["22.18.0", "24.0.0"])("Q5 runs on Node %s", (version) => {
  expect(problemWithNode(version)).toBeUndefined();
});
