import { expect, it } from "vitest";
import { readJson } from "../../src/request/read-json.ts";

/** A request whose body is in memory, so that no socket lets other work run. */
const request = (length: number) =>
  new Request("http://localhost/runs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: "a".repeat(length) }),
  });

it.each([
  [1_000_000, 1],
  [1_000, 20],
])(
  "B8 of 20 bodies of %d characters that arrive at once, %d are parsed before other work has its turn",
  async (length, most) => {
    let inThisTurn = 0;
    let highest = 0;
    const real = JSON.parse;
    JSON.parse = (text: string) => {
      if (inThisTurn === 0)
        setImmediate(() => {
          inThisTurn = 0;
        });
      inThisTurn += 1;
      highest = Math.max(highest, inThisTurn);
      return real(text);
    };
    try {
      await Promise.all(Array.from({ length: 20 }, () => readJson(request(length), 2_000_000)));
    } finally {
      JSON.parse = real;
    }
    expect(highest).toBeGreaterThan(0);
    expect(highest).toBeLessThanOrEqual(most === 1 ? 2 : 20);
  },
);
