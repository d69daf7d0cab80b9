import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  freeAddresses,
  NO_RESTATE,
  RESTATE,
  type RestateServer,
  restateServer,
} from "../../../test/restate/restate-server.ts";
import { pause } from "../../../test/support/pause.ts";
import { restateEngine } from "../src/index.ts";

const soon = { timeout: 15_000, interval: 10 };
const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Returns a private key, and the public one as Restate writes it. */
function newKeys(): { pem: string; identity: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  let rest = BigInt(`0x${raw.toString("hex")}`);
  let text = "";
  for (; rest > 0n; rest /= 58n) text = `${DIGITS[Number(rest % 58n)]}${text}`;
  const zeros = raw.findIndex((byte) => byte !== 0);
  return {
    pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    identity: `publickeyv1_${"1".repeat(zeros)}${text}`,
  };
}

if (RESTATE === undefined) console.log(`Restate's settings are not tested: ${NO_RESTATE}.`);

describe.skipIf(RESTATE === undefined)("restateEngine() with a server that signs and is impatient", () => {
  let folder: string;
  let server: RestateServer;
  const { pem, identity } = newKeys();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pawl-keys-"));
    await writeFile(join(folder, "key.pem"), pem);
    server = await restateServer({
      WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: join(folder, "key.pem"),
      WORKER__INVOKER__INACTIVITY_TIMEOUT: "200ms",
      WORKER__INVOKER__ABORT_TIMEOUT: "200ms",
    });
  });
  afterAll(async () => {
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** An engine at a port, whose calls take `ms`. */
  const working = async (ms: number, keys: readonly string[] = [identity]) => {
    const [address = ""] = await freeAddresses(1);
    const port = Number(address.split(":")[1]);
    const { ingress, admin } = server;
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const engine = restateEngine({ ingress, admin, port, identityKeys: keys, onError });
    const calls: {
      id: string;
      from: number;
      to?: number;
      wasAborted?: boolean;
      signal: AbortSignal | undefined;
    }[] = [];
    const work = engine.work(
      async ({ sessionId: id, signal }) => {
        const call: (typeof calls)[number] = { id, from: performance.now(), signal };
        calls.push(call);
        await pause(ms, "the time that a call takes");
        // Once the call is over, Restate's SDK aborts its signal in any case.
        call.wasAborted = signal?.aborted === true;
        call.to = performance.now();
      },
      { concurrency: 4 },
    );
    onTestFinished(async () => await engine.close());
    await work;
    return { engine, calls, errors, url: `http://${address}` };
  };

  it("Q1 lets a call take longer than the server's timeouts", async () => {
    const { engine, calls } = await working(1_200);
    await engine.wake("long");
    await expect.poll(() => calls[0]?.to, soon).toBeDefined();
    expect(calls).toHaveLength(1);
    expect(calls[0]?.wasAborted).toBe(false);
  });

  it("Q1 serves only requests that the server has signed", async () => {
    const { engine, calls, url } = await working(0);
    await engine.wake("signed");
    await expect.poll(() => calls.length, soon).toBe(1);
    const session = connect(url);
    onTestFinished(() => session.destroy());
    for (const path of ["/discover", "/invoke/pawl-sessions/run"]) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const headers = { "content-type": "application/vnd.restate.invocation.v5" };
      session
        .request({ ":method": "POST", ":path": path, ...headers })
        .once("response", (response) => resolve(response[":status"]))
        .end();
      expect(await promise, path).toBe(401);
    }
  });

  it("Q1 refuses a server with another key", async () => {
    await expect(working(0, [newKeys().identity])).rejects.toThrow("401");
  });

  it("Q2 aborts a call whose server has died, and calls the session again once it is over", async () => {
    const { engine, calls, errors } = await working(4_000);
    await engine.wake("orphan");
    await engine.wake("later", { afterMs: 1_000 });
    await expect.poll(() => calls.length, soon).toBe(1);
    await server.kill();
    await expect.poll(() => calls[0]?.signal?.aborted, soon).toBe(true);
    await expect(engine.wake("lost")).rejects.toMatchObject({ code: "store_unavailable" });
    await server.start();
    const callsOf = (id: string) => calls.filter((call) => call.id === id);
    await expect.poll(() => callsOf("orphan").length, soon).toBe(2);
    await expect.poll(() => callsOf("later").length, soon).toBe(1);
    const [first, second] = callsOf("orphan");
    expect(second?.from).toBeGreaterThanOrEqual(first?.to ?? Number.POSITIVE_INFINITY);
    expect(errors).toEqual([]);
  });
});
