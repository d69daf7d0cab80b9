import { PawlError } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { restateEngine } from "../src/index.ts";

const ingress = "https://ingress.example.com/app/";
const authToken = "key_4f2c9a7e";

/** Returns what Restate got, and with what error a wake was rejected. */
async function wake(answer: () => Response | Promise<Response>, id = "s1") {
  const requests: Request[] = [];
  const engine = restateEngine({
    ingress,
    authToken,
    fetch: async (url, init) => {
      requests.push(new Request(url, init));
      return await answer();
    },
  });
  const error = await engine.wake(id, { afterMs: 1_500 }).catch((error: unknown) => error);
  return { requests, error };
}

describe("requests to Restate", () => {
  it("Q1 have the session's id in the path, the token in a header and the times in the body", async () => {
    const { requests, error } = await wake(() => Response.json({}, { status: 202 }), "a/b c");
    expect(error).toBeUndefined();
    const [request] = requests;
    expect(request?.url).toBe("https://ingress.example.com/app/pawl-wakes/a%2Fb%20c/wake/send");
    expect(request?.headers.get("authorization")).toBe(`Bearer ${authToken}`);
    expect(await request?.json()).toEqual({ sentAt: expect.any(Number), afterMs: 1_500 });
  });

  it.each([
    [401, "forbidden"],
    [403, "forbidden"],
    [400, "config"],
    [404, "config"],
    [429, "store_unavailable"],
    [500, "store_unavailable"],
    [503, "store_unavailable"],
  ])("U5 fail with status %i as %s, and do not show the token", async (status, code) => {
    const { error } = await wake(() => new Response("<html>", { status }));
    expect(error).toMatchObject({ code, details: { status } });
    expect(String(error)).toContain(String(status));
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(authToken);
  });

  it("U5 fail with the message of Restate", async () => {
    const body = { code: 404, message: "service 'pawl-wakes' not found" };
    const { error } = await wake(() => Response.json(body, { status: 404 }));
    expect(String(error)).toBe(
      "PawlError: Restate at https://ingress.example.com refused the request with status 404: service 'pawl-wakes' not found. A worker must be registered before the first wake.",
    );
  });

  it("U5 fail as store_unavailable if Restate cannot be reached", async () => {
    const { error } = await wake(() => Promise.reject(new TypeError("fetch failed")));
    expect(PawlError.is(error, "store_unavailable")).toBe(true);
    expect((error as PawlError).cause).toBeInstanceOf(TypeError);
  });
});
