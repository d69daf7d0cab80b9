// The entry `@pawl/cloudflare`: agents in Durable Objects.

export type { AlarmStorage } from "./alarms/waking-store.ts";
export {
  type AgentObject,
  type AgentObjectOptions,
  type AgentObjectSettings,
  agentObject,
  type ObjectContext,
  type ObjectHttp,
} from "./object/agent-object.ts";
