import { createHmac } from "node:crypto";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localIssuer } from "../src/index.ts";

const user = "6f0c5b1e-0000-4000-8000-000000000001";
const asking = (token: string) =>
  new Request("http://localhost/agent/sessions", { headers: { authorization: `Bearer ${token}` } });

describe("the local issuer", () => {
  it("X2 accepts its own tokens for one hour", async () => {
    let now = Date.now();
    const issuer = await localIssuer({ now: () => now });
    const token = await issuer.issue(user);
    expect(await issuer.authorize(asking(token))).toMatchObject({ userId: user });
    now += 3_601_000;
    expect(await issuer.authorize(asking(token))).toMatchObject({ status: 401 });
  });

  it("X2 keeps its key private, and keeps it over a restart", async () => {
    const dir = await mkdtemp(join(tmpdir(), "pawl-issuer-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    const keyFile = join(dir, "a", "issuer.json");
    const token = await (await localIssuer({ keyFile })).issue(user);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(await (await localIssuer({ keyFile })).authorize(asking(token))).toMatchObject({ userId: user });
    for (const broken of [
      "{",
      "{}",
      "null",
      '"key"',
      '{"kid":"1","d":"x"}',
      '{"kid":"1","kty":"EC","d":"x","crv":"P-256"}',
    ]) {
      await writeFile(keyFile, broken);
      await expect(localIssuer({ keyFile })).rejects.toMatchObject({ code: "config" });
    }
  });

  it("X2 accepts only its own algorithm, and sends no request for another one", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("asked"));
    onTestFinished(() => fetched.mockRestore());
    const issuer = await localIssuer();
    const claims = JSON.parse(
      Buffer.from((await issuer.issue(user)).split(".")[1] ?? "", "base64url").toString(),
    );
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const alg of ["HS256", "HS512", "none", "RS256", "ES384", "es256", ""]) {
      const signed = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
      const seal = createHmac("sha256", "anything").update(signed).digest("base64url");
      expect(await issuer.authorize(asking(`${signed}.${seal}`)), alg).toMatchObject({ status: 401 });
    }
    expect(fetched).not.toHaveBeenCalled();
  });

  it("X2 rejects its own tokens for ids that no Supabase user has", async () => {
    const issuer = await localIssuer();
    for (const name of ["", "ada", user.toUpperCase()])
      expect(await issuer.authorize(asking(await issuer.issue(name)))).toMatchObject({ status: 401 });
  });
});
