import type { IncomingHttpHeaders } from "node:http";
import { type ApiError, errorOfStatus, invalid } from "../base/api-error.ts";

const versions = ["2023-06-01", "2026-10-21"];

/** Checks the API key and the API version. */
// The wording of the errors is verified with the real API only for a missing or wrong `x-api-key`.
export function checkHeaders(
  headers: IncomingHttpHeaders,
  apiKeys: readonly string[] | undefined,
): ApiError | undefined {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  const apiKey = headers["x-api-key"];
  const key = bearer ?? (typeof apiKey === "string" ? apiKey : "");
  if (key.trim() === "") return errorOfStatus(401, { message: "x-api-key header is required" });
  if (apiKeys !== undefined && !apiKeys.includes(key))
    return errorOfStatus(401, {
      message: bearer === undefined ? "invalid x-api-key" : "invalid bearer token",
    });
  const version = headers["anthropic-version"];
  if (version === undefined) return invalid("anthropic-version: header is required");
  if (!versions.includes(String(version)))
    return invalid(`anthropic-version: "${version}" is not a valid version`);
  // The simulator has no beta features.
  const beta = headers["anthropic-beta"];
  return beta === undefined
    ? undefined
    : invalid(
        `Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header. Please consult our documentation at docs.claude.com or try again without the header.`,
      );
}
