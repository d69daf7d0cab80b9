import { createHmac } from "node:crypto";
import { localIssuer } from "@pawl/example-trainer";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "local-issuer",
  title: "The trainer's local issuer takes a forged token of another algorithm",
  state: "held",
  guard: {
    file: "examples/trainer/test/local-issuer.test.ts",
    title: "accepts only its own algorithm, and sends no request for another one",
  },
  attempt: () =>
    brokenByAny({
      HS256: () => forged("HS256", (text) => createHmac("sha256", "any").update(text).digest("base64url")),
      none: () => forged("none", () => ""),
    }),
};

/** Each server would confirm the token: what is asked over the network is lost. */
async function forged(alg: string, sign: (text: string) => string): Promise<string> {
  const real = globalThis.fetch;
  let requests = 0;
  globalThis.fetch = async () => {
    requests += 1;
    return Response.json({ id: "6f0c5b1e-0000-4000-8000-000000000001", ok: true });
  };
  try {
    const { authorize } = await localIssuer();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = {
      sub: "6f0c5b1e-0000-4000-8000-000000000001",
      role: "authenticated",
      aud: "authenticated",
      iss: "http://issuer.localhost/auth/v1",
      exp: Math.floor(Date.now() / 1_000) + 3_600,
    };
    const signed = `${part({ alg, typ: "JWT" })}.${part(claims)}`;
    const headers = { authorization: `Bearer ${signed}.${sign(signed)}` };
    const caller = await authorize(new Request("http://app/agent/sessions", { headers }));
    const isRefused = caller === null || caller instanceof Response;
    return brokenIf(!isRefused || requests > 0, `${isRefused ? "refused" : "taken"}, ${requests} requests`);
  } finally {
    globalThis.fetch = real;
  }
}
