export { type Zod3Result, type Zod3Schema, zod3 } from "./schema/zod3.ts";
