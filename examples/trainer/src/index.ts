export * from "./data/index.ts";
export * from "./tools/index.ts";
export * from "./workout/index.ts";
