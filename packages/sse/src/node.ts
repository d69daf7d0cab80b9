export { nodeListener } from "./servers/node.ts";
