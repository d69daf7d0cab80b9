import { rocketLeagueFace as face } from "@pawl/example-rocket-league-coach/web";
import type { Face } from "../face/face.ts";

export const rocketLeagueFace: Face = face();
