import { PawlError } from "@pawl/core";
import type { Hono } from "hono";
import { errorResponse, responseTo, type WireError } from "../request/wire-error.ts";
import { OwnResponse } from "../session/caller.ts";
import type { ErrorBody, Served } from "./handler-options.ts";
import type { Env } from "./routes.ts";

/** Answers errors and unknown routes, in the application's own form if it has one. */
export function answerErrors(app: Hono<Env>, options: Served & Required<Pick<Served, "onError">>): void {
  const { basePath = "", errorBody, onError, onWarning } = options;
  const inOwnForm = async (response: Response, request: Request) => {
    try {
      return errorBody === undefined ? response : await withBody(response, request, errorBody);
    } catch (error) {
      onError(error, request);
      return response;
    }
  };
  app.notFound(({ req }) => inOwnForm(errorResponse(404, "not_found", noRoute(req, basePath)), req.raw));
  app.onError((error, { req }) => {
    const response = responseTo(error);
    if (PawlError.is(error, "not_found") && PawlError.is(error.cause)) onWarning?.(error.cause.message);
    if (response.status >= 500 && !isExpected(error, req.raw)) onError(error, req.raw);
    return error instanceof OwnResponse ? response : inOwnForm(response, req.raw);
  });
}

async function withBody(response: Response, request: Request, errorBody: ErrorBody): Promise<Response> {
  const error = await wireErrorIn(response);
  if (error === undefined) return response;
  const { status, headers } = response;
  const body: unknown = await errorBody({ error, status, request });
  if (body === null || typeof body !== "object")
    throw new PawlError("config", "`errorBody` of handler() must return an object.");
  return Response.json(body, { status, headers });
}

/** Returns the error in a response; `undefined` for a response of another form, e.g. of an HTTPException. */
async function wireErrorIn(response: Response): Promise<WireError["error"] | undefined> {
  try {
    const { error } = (await response.clone().json()) as WireError;
    return typeof error.code === "string" && typeof error.message === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether an error is expected: this process is shutting down, or the client has disconnected. */
function isExpected(error: unknown, { signal }: Request): boolean {
  return PawlError.is(error, "draining") || signal.aborted;
}

function noRoute({ method, path }: { method: string; path: string }, basePath: string): string {
  const base = basePath.replace(/\/+$/, "");
  return `No such route: ${method} ${path}. This handler serves ${base}/runs and ${base}/sessions. Check \`basePath\`, or the client's \`url\`.`;
}
