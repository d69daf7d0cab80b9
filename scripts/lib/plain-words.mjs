/**
 * Words of public names that need no explanation in the glossary: plain English, and words of the trade that
 * Pawl uses as everybody does. Singular, in lower case.
 */
export const PLAIN_WORDS = new Set(
  `
  about add advance after again amount answered any api arg argument ask asked asp assistant at auth
  authorize balance base batch before begin block blocked body boss bound bucket busy by byte case
  cause cent change changed channel char chat check choice chosen claim claude client clock close
  closed code complete connect connection content continue contract cool cost count create created cut database db
  default depend description difference directory display doc done down draft duration earlier
  embedded encoder end ended error estimate estimated every exclusive execute expire expired expose
  extra fact factor fail failed failure fallback fastify fault fetch field for forced from get given
  guidance h handler has header height hidden hide hint history holder host http idempotency idle in
  index info init input instead instruction invalid is json jsonschema keep kill kind last left length level
  limit limited list listed listener listening live load make max mcp media memory metric migration
  model most ms name need new next no node note notify now object older on only opaque open option
  other outcome own owner parameter parse part partial patch path patience pawl per pg phase picture
  planned planning port postgre price pricing problem progress prompt put query queued rate raw read
  ready reasoning refused release reminder remote reply report request requested required resource response
  restate result row rpc rule running runtime schema scope script scripted second secret
  section send sent serve server set setting shorten show shown signal size skipped sleep span spec
  spending spent sql sqlite start started state status storage stored stream strict subscribe
  success summary supabase suspend system tag test text thinking thread time timeline timeout
  title to token total transaction ttl type typed ui under unknown until up url usd use used
  validate value version when whose why width wire with within without work worker wrapped write zod
`
    .trim()
    .split(/\s+/),
);
