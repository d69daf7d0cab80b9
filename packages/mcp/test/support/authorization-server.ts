import { createHash } from "node:crypto";
import { pause } from "../../../../test/support/pause.ts";

interface Grant {
  user: string;
  client: string;
  scope: string | undefined;
}

/** What an authorization server does besides the usual. */
export interface AuthorizationServerOptions {
  /** Whether it announces and sends `iss` (RFC 9207). Default: no. */
  iss?: boolean;
  /** Whether its answers name the scope of tokens. Default: yes. */
  namesScope?: boolean;
  /** What its metadata have besides, or instead. */
  metadata?: object;
  /** Clients that were registered by hand, and their secrets. */
  clients?: Readonly<Record<string, string>>;
}

/** Returns the client that sends a request for tokens. */
function clientIn(request: Request, form: URLSearchParams) {
  const header = request.headers.get("authorization");
  if (header === null) return { client: form.get("client_id") ?? "", secret: undefined };
  const [client = "", secret] = atob(header.slice("Basic ".length)).split(":");
  return { client, secret };
}

/**
 * An authorization server at one origin: metadata, registration, codes with PKCE, and refresh tokens that are
 * good for one use. One that is used twice signs the user out, as RFC 9700 wants it. Clients, codes and tokens
 * of other servers are refused.
 */
export function authorizationServer(origin: string, options: AuthorizationServerOptions = {}) {
  const { iss = false, namesScope = true, metadata = {}, clients: known = {} } = options;
  const clients = new Map<string, string | undefined>(Object.entries(known));
  const codes = new Map<string, Grant & { challenge: string; redirect: string }>();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant & { isUsed: boolean }>();
  const grants: string[] = [];
  const secrets: string[] = Object.values(known);
  const received: string[] = [];
  let count = 0;
  let refreshDelayMs = 0;

  const issue = (grant: Grant) => {
    count += 1;
    const { user, scope } = grant;
    const access_token = `access-${user}-${count}-${crypto.randomUUID()}`;
    const refresh_token = `refresh-${user}-${count}-${crypto.randomUUID()}`;
    secrets.push(access_token, refresh_token);
    access.set(access_token, grant);
    refresh.set(refresh_token, { ...grant, isUsed: false });
    const named = namesScope ? { scope } : {};
    return Response.json({ access_token, refresh_token, token_type: "Bearer", expires_in: 60, ...named });
  };
  const signOut = (user: string) => {
    for (const [token, { user: owner }] of access) if (owner === user) access.delete(token);
    for (const [token, { user: owner }] of refresh) if (owner === user) refresh.delete(token);
  };
  const refuse = (error: string, said = "") =>
    Response.json({ error, error_description: `No: ${said}` }, { status: 400 });

  async function token(request: Request, text: string): Promise<Response> {
    const form = new URLSearchParams(text);
    const { client, secret } = clientIn(request, form);
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    if (!clients.has(client) || clients.get(client) !== secret) return refuse("invalid_client", secret);
    if (grant === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const verifier = form.get("code_verifier") ?? "";
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const isSame = code?.challenge === challenge && code.client === client;
      if (!isSame || code.redirect !== form.get("redirect_uri"))
        return refuse("invalid_grant", String(form.get("code")));
      return issue({ user: code.user, client: code.client, scope: code.scope });
    }
    await pause(refreshDelayMs, "the time that the server takes");
    const given = form.get("refresh_token") ?? "";
    return again(given, client);
  }

  /** Replaces a refresh token. */
  function again(given: string, client: string): Response {
    const before = refresh.get(given);
    if (before === undefined || before.isUsed || before.client !== client) {
      if (before !== undefined) signOut(before.user);
      return refuse("invalid_grant", given);
    }
    before.isUsed = true;
    return issue({ user: before.user, client: before.client, scope: before.scope });
  }

  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    received.push(`${request.method} ${pathname} ${request.headers.get("authorization") ?? ""} ${text}`);
    if (pathname === "/.well-known/oauth-authorization-server")
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
        ...(iss && { authorization_response_iss_parameter_supported: true }),
        ...metadata,
      });
    if (pathname === "/register") {
      const client_id = `app-${clients.size + 1} of ${origin}`;
      clients.set(client_id, undefined);
      return Response.json({ ...JSON.parse(text), client_id }, { status: 201 });
    }
    return pathname === "/token" ? await token(request, text) : new Response(null, { status: 404 });
  }

  return {
    serve,
    access,
    grants,
    secrets,
    /** All requests: method, path, authorization and body. */
    received,
    /** The ids of all clients. */
    clients: () => [...clients.keys()],
    /** What the browser of a user brings back from this address. */
    visit: (address: string, user: string): URLSearchParams => {
      const { searchParams } = new URL(address);
      const client = searchParams.get("client_id") ?? "";
      if (!clients.has(client)) throw new Error(`${origin} does not know the client "${client}".`);
      const code = `code-${crypto.randomUUID()}`;
      secrets.push(code);
      const challenge = searchParams.get("code_challenge") ?? "";
      const redirect = searchParams.get("redirect_uri") ?? "";
      codes.set(code, { user, client, challenge, redirect, scope: searchParams.get("scope") ?? undefined });
      return new URLSearchParams({
        code,
        state: searchParams.get("state") ?? "",
        ...(iss && { iss: origin }),
      });
    },
    /** Ends all access tokens; refresh tokens stay. */
    expire: () => access.clear(),
    signOut,
    setRefreshDelay: (ms: number) => {
      refreshDelayMs = ms;
    },
  };
}
