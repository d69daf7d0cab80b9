export * from "./data/index.ts";
export * from "./workout/index.ts";
