export { type FastifyAnswer, type FastifyCall, type FastifyScope, fastifyPlugin } from "./servers/fastify.ts";
