export { type Zod3Result, type Zod3Schema, zod3 } from "./tools/zod3.ts";
