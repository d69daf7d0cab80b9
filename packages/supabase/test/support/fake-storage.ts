import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A FAKE of Supabase Storage, made from its documentation, the types of storage-js and the behaviour of its published
 * sources. It is as strict as those: what they refuse is refused, and what they get wrong is wrong here too (keys without
 * regard to case in lists, status 400 for almost everything). It is not Storage, and what passes here may fail there.
 */
export interface FakeStorage {
  url: string;
  /** Keys of the bucket, as they are stored. */
  keys(): string[];
  object(key: string): { type: string; cacheControl: string; bytes: Buffer } | undefined;
  /** Puts an object there that is not the store's. */
  plant(key: string): void;
  /** How the next requests are answered, one each. */
  faults: ((response: ServerResponse) => void)[];
  /** What was asked, as `METHOD /path`. */
  requests: string[];
  close(): Promise<void>;
}

export interface FakeOptions {
  bucket: string;
  maxBytes?: number;
  types?: readonly string[];
  /** What policies let a user do in the folder of their name. `SECRET` may do everything. */
  policies?: readonly Policy[];
  /** The most entries of one page. */
  maxPage?: number;
}

type Policy = "insert" | "select" | "update" | "delete";

export const SECRET = "sb_secret_of_the_fake";

interface StoredObject {
  id: string;
  type: string;
  cacheControl: string;
  bytes: Buffer;
  at: string;
}

/** As in the published sources: word characters, and a few that need care in URLs. */
const VALID_KEY = /^(\w|\/|!|-|\.|\*|'|\(|\)| |&|\$|@|=|;|:|\+|,|\?)+$/;

class Refusal extends Error {
  readonly statusCode: string;
  readonly code: string;
  constructor(statusCode: string, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

export async function fakeStorage(options: FakeOptions): Promise<FakeStorage> {
  const objects = new Map<string, StoredObject>();
  const faults: FakeStorage["faults"] = [];
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const fault = faults.shift();
    if (fault !== undefined) return fault(response);
    try {
      await serve(request, response, objects, options);
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.writeHead(500).end();
      const { statusCode, code, message } = error;
      json(response, 400, { statusCode, code, error: code, message });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: () => [...objects.keys()].sort(),
    object: (key) => objects.get(key),
    plant: (key) => void objects.set(key, made("text/plain", "no-cache", Buffer.from("planted"))),
    faults,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Asked {
  key: string;
  body: Buffer;
  request: IncomingMessage;
  may(policy: Policy, key: string): boolean;
  objects: Map<string, StoredObject>;
  options: FakeOptions;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Map<string, StoredObject>,
  options: FakeOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "", "http://fake");
  const [, kind = "", bucket, rest = ""] =
    /^\/storage\/v1\/object\/(?:(list|info)\/)?([^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
  const may = permissions(request, options.policies ?? []);
  if (bucket !== options.bucket) throw new Refusal("404", "NoSuchBucket", "Bucket not found");
  const key = decodeURIComponent(rest);
  const asked = { key, body: await bodyOf(request), request, may, objects, options };
  switch (`${request.method} ${kind}`) {
    case "POST list":
      return json(response, 200, list(asked));
    case "DELETE ":
      return json(response, 200, remove(asked));
    case "GET ": {
      const { type, bytes } = readable(asked);
      return void response.writeHead(200, { "content-type": type }).end(bytes);
    }
    case "GET info":
      return json(response, 200, { id: readable(asked).id, name: key });
    case "POST ":
      return json(response, 200, { Id: upload(asked).id, Key: `${bucket}/${key}` });
    default:
      throw new Refusal("404", "Error", "Route not found");
  }
}

function readable({ key, objects, may }: Asked): StoredObject {
  checkKey(key);
  const object = objects.get(key);
  if (object === undefined || !may("select", key)) throw new Refusal("404", "NoSuchKey", "Object not found");
  return object;
}

function remove({ body, objects, may }: Asked): object[] {
  const { prefixes } = parse(body) as { prefixes: string[] };
  if (!Array.isArray(prefixes) || prefixes.length === 0) {
    throw new Refusal("400", "Error", "prefixes is required");
  }
  const gone = prefixes.filter((key) => objects.has(key) && may("delete", key) && may("select", key));
  for (const key of gone) objects.delete(key);
  return gone.map((name) => ({ name }));
}

function upload({ key, body, request, may, objects, options }: Asked): StoredObject {
  checkKey(key);
  const { "x-upsert": upsert, "content-type": type = "application/octet-stream" } = request.headers;
  const object = objects.get(key);
  if (object !== undefined && upsert !== "true") {
    throw new Refusal("409", "KeyAlreadyExists", "The resource already exists");
  }
  const needed: Policy[] = upsert === "true" ? ["insert", "select", "update"] : ["insert"];
  if (!needed.every((policy) => may(policy, key))) {
    throw new Refusal("403", "AccessDenied", "new row violates row-level security policy");
  }
  if (options.types !== undefined && !options.types.includes(type)) {
    throw new Refusal("415", "InvalidMimeType", `mime type ${type} is not supported`);
  }
  if (body.length > (options.maxBytes ?? 50_000_000)) {
    throw new Refusal("413", "EntityTooLarge", "The object exceeded the maximum allowed size");
  }
  const stored = made(type, request.headers["cache-control"] ?? "no-cache", body);
  objects.set(key, { ...stored, id: object?.id ?? stored.id });
  return stored;
}

function checkKey(key: string): void {
  if (!VALID_KEY.test(key)) throw new Refusal("400", "InvalidKey", `Invalid key: ${key}`);
}

/**
 * One folder, without regard to case, as `storage.search` does it: pages over files and folders together. What is asked for is
 * a pattern there, of which `_` is any character.
 */
function list({ body, objects, may, options: { maxPage = 1500 } }: Asked): object[] {
  const {
    prefix,
    limit = 100,
    offset = 0,
  } = parse(body) as { prefix: string; limit?: number; offset?: number };
  if (
    typeof prefix !== "string" ||
    !Number.isInteger(limit) ||
    limit < 1 ||
    !Number.isInteger(offset) ||
    offset < 0
  ) {
    throw new Refusal("400", "Error", "body must match the schema");
  }
  const start = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  const entries = new Map<string, object>();
  for (const [key, { id, at, type, bytes }] of objects) {
    if (!isBelow(key.toLowerCase(), start.toLowerCase()) || !may("select", key)) continue;
    const [name = "", ...deeper] = key.slice(start.length).split("/");
    const empty = { id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null };
    const file = {
      id,
      updated_at: at,
      created_at: at,
      last_accessed_at: at,
      metadata: { size: bytes.length, mimetype: type },
    };
    entries.set(deeper.length > 0 ? `${name.toLowerCase()}/` : name, {
      name,
      ...(deeper.length > 0 ? empty : file),
    });
  }
  const sorted = [...entries].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return sorted.slice(offset, offset + Math.min(limit, maxPage)).map(([, entry]) => entry);
}

/** Returns whether `name LIKE start || '%'`. */
function isBelow(name: string, start: string): boolean {
  return name.length >= start.length && [...start].every((char, at) => char === "_" || char === name[at]);
}

/** The token's user has the rights of the policies in their own folder. */
function permissions(
  request: IncomingMessage,
  policies: readonly Policy[],
): (policy: Policy, key: string) => boolean {
  const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined)
    throw new Refusal("400", "InvalidJWT", "headers must have required property 'authorization'");
  return (policy, key) => token === SECRET || (policies.includes(policy) && key.startsWith(`${token}/`));
}

function made(type: string, cacheControl: string, bytes: Buffer): StoredObject {
  return { id: crypto.randomUUID(), type, cacheControl, bytes, at: new Date().toISOString() };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parse(body: Buffer): { [name: string]: unknown } {
  return JSON.parse(body.toString() || "{}");
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
