// Modules that examples import and that are not installed here, as far as the examples use them.

declare module "next/server" {
  export function after(work: () => Promise<unknown>): void;
}

declare module "@vercel/functions" {
  export function waitUntil(work: Promise<unknown>): void;
}

declare module "cloudflare:workers" {
  export function waitUntil(work: Promise<unknown>): void;
}
