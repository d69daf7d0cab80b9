import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeListener } from "./node.ts";

/** The used part of a Fastify instance. Every instance of version 5 has it. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null) => void) => void,
  ): unknown;
  all(path: string, serve: (request: FastifyCall, reply: FastifyAnswer) => Promise<void>): unknown;
}

/** The used part of a Fastify request. */
export interface FastifyCall {
  raw: IncomingMessage;
}

/** The used part of a Fastify reply. */
export interface FastifyAnswer {
  raw: ServerResponse;
  hijack(): unknown;
}

/**
 * Makes a Fastify plugin from a handler. The handler serves every path below the plugin's prefix and reads
 * the bodies itself. Give the handler the same path as `basePath`. Fastify's hooks that run before a body is
 * parsed are called as usual.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler } from "@pawl/sse";
 * import { fastifyPlugin } from "@pawl/sse/fastify";
 * import { scriptedModel } from "@pawl/testing";
 * import fastify from "fastify";
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const pawl = runtime({ agents: [coach], store: memoryStore() });
 * const serve = handler({
 *   runtime: pawl,
 *   agent: "coach",
 *   authorize: () => ({ userId: "ada" }),
 *   basePath: "/api/coach",
 * });
 *
 * const app = fastify();
 * await app.register(fastifyPlugin(serve), { prefix: "/api/coach" });
 * const response = await app.inject({ url: "/api/coach/sessions" });
 * console.log(response.json()); // { sessions: [] }
 * await app.close();
 * ```
 */
export function fastifyPlugin(
  serve: (request: Request) => Response | Promise<Response>,
): (scope: FastifyScope) => Promise<void> {
  const listener = nodeListener(serve);
  return async (scope) => {
    // A body can be read once: after Fastify has parsed it, the handler could not.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.all("/*", async (request, reply) => {
      reply.hijack();
      await listener(request.raw, reply.raw);
    });
  };
}
