import { expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { createAgentClient } from "../src/index.ts";
import { retryMs } from "../src/wire/backoff.ts";
import { Refused } from "../src/wire/request.ts";

const told = (seconds: string) => {
  const answer = { headers: new Headers({ "retry-after": seconds }), body: {} };
  return new Refused(503, "overloaded", "Please try again.", { answer });
};

it.each([
  ["5", 5_000, 5_000],
  ["0", 50, 100],
  ["3600", 60_000, 60_000],
  ["-5", 50, 100],
  ["Sat, 28 Nov 2026 12:00:00 GMT", 50, 100],
])(
  "W4 B7 a server that answers `retry-after: %s` is asked again after %i to %i ms",
  (seconds, least, most) => {
    const ms = retryMs(1, told(seconds));
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
  },
);

it.each(["send", "open"] as const)(
  "W4 B7 an overloaded server is not asked again before the time that it names: %s()",
  async (what) => {
    let requests = 0;
    const fetch = async () => {
      requests += 1;
      const error = { code: "overloaded", message: "Please try again in a moment." };
      return Response.json({ error }, { status: 503, headers: { "retry-after": "60" } });
    };
    const client = createAgentClient({ url: "http://app.test", fetch });
    if (what === "send") void client.send("Hi");
    else client.open("s1");
    await pause(600, "without the header, there are three requests in this time");
    expect(requests).toBe(1);
    client.close();
  },
);
