import type { IncomingMessage, ServerResponse } from "node:http";
import { checkServe } from "./check-serve.ts";
import { nodeListener } from "./node.ts";

/** The part of a Fastify instance that the plugin uses. Every instance of Fastify 5 fits. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null) => void) => void,
  ): unknown;
  all(path: string, serve: (request: FastifyCall, reply: FastifyAnswer) => Promise<void>): unknown;
}

/** The part of a Fastify request that the plugin uses. */
export interface FastifyCall {
  raw: IncomingMessage;
}

/** The part of a Fastify reply that the plugin uses. */
export interface FastifyAnswer {
  raw: ServerResponse;
  hijack(): unknown;
}

/**
 * Returns a Fastify plugin that serves a handler on every path below the plugin's prefix. Give the handler
 * the same path as `basePath`. The handler reads the bodies itself, so Fastify's body parsers are not used.
 * Hooks that Fastify calls before it parses a body are called as usual.
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
  checkServe("fastifyPlugin()", serve, "register fastifyPlugin(serve), not fastifyPlugin");
  const listener = nodeListener(serve);
  return async (scope) => {
    // A body can be read only once. If Fastify parsed it, nothing would be left for the handler.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.all("/*", async (request, reply) => {
      reply.hijack();
      await listener(request.raw, reply.raw);
    });
  };
}
