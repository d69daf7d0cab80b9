import { expect } from "vitest";
import type { Served } from "./served.ts";

/** The events of a response, parsed; its end as text. */
export async function told(response: Response): Promise<unknown[]> {
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).not.toMatch(/\r|SECRET/);
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => (frame === "data: [DONE]" ? "[DONE]" : JSON.parse(frame.slice(6))));
}

/** Sends a request to the plain dialects' route, and reads its response to the end. */
export const post = async (served: Served, json: object) => {
  const response = await served.ask("/runs", { json });
  return { sessionId: response.headers.get("x-pawl-session"), events: await told(response) };
};
