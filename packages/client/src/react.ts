"use client";

export { type UseAgent, useAgent } from "./react/use-agent.ts";
export { type UseAsp, useAsp } from "./react/use-asp.ts";
export { useHeld } from "./react/use-held.ts";
export { type UseSessions, useSessions } from "./react/use-sessions.ts";
