import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";

/** Real keys, a real key set over HTTP, and `/auth/v1/user`, where tokens signed with the secret are judged. */
export interface AuthServer {
  url: string;
  /** A token, valid unless something says otherwise. */
  sign(
    claims?: JWTPayload,
    header?: { alg?: string; kid?: string | undefined; key?: Uint8Array | CryptoKey },
  ): Promise<string>;
  keys: { es: CryptoKey; rs: CryptoKey; other: CryptoKey };
  /** The key set as it is served. */
  jwks: { keys: object[] };
  /** How often a path was asked for. */
  count(path: "jwks" | "user"): number;
  /** Answers in place of the server. */
  fault: ((response: ServerResponse, path: string) => void) | undefined;
  close(): Promise<void>;
}

export const USER = "6f1c1a54-7a3e-4f43-9d9b-0c5d2a1b3c4d";
export const HS_SECRET: Uint8Array = new TextEncoder().encode("a secret of the project that is long enough");

export async function authServer(): Promise<AuthServer> {
  const [es, rs, other] = await Promise.all([
    generateKeyPair("ES256", { extractable: true }),
    generateKeyPair("RS256", { extractable: true }),
    generateKeyPair("ES256", { extractable: true }),
  ]);
  const asked = { jwks: 0, user: 0 };
  const jwks = {
    keys: [
      { ...(await exportJWK(es.publicKey)), kid: "es", alg: "ES256", use: "sig", key_ops: ["verify"] },
      { ...(await exportJWK(rs.publicKey)), kid: "rs", alg: "RS256", use: "sig", key_ops: ["verify"] },
    ] as object[],
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const isKeys = path === "/auth/v1/.well-known/jwks.json";
    asked[isKeys ? "jwks" : "user"]++;
    if (self.fault !== undefined) return self.fault(response, path);
    if (isKeys) return json(response, 200, jwks);
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    try {
      await jwtVerify(token, HS_SECRET, { algorithms: ["HS256"] });
      json(response, 200, { id: USER, aud: "authenticated", role: "authenticated" });
    } catch {
      const message = "invalid JWT: unable to parse or verify signature";
      json(response, 403, { code: 403, error_code: "bad_jwt", msg: message });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = { iss: `${url}/auth/v1`, aud: "authenticated", role: "authenticated", sub: USER };
  const self: AuthServer = {
    url,
    keys: { es: es.privateKey, rs: rs.privateKey, other: other.privateKey },
    jwks,
    fault: undefined,
    count: (path) => asked[path],
    async sign(more = {}, { alg = "ES256", kid = "es", key = es.privateKey } = {}) {
      const header = { alg, typ: "JWT", ...(kid === "" ? {} : { kid }) };
      const payload = { ...claims, exp: Math.floor(Date.now() / 1000) + 3600, ...more };
      return await new SignJWT(payload).setProtectedHeader(header).sign(key);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
