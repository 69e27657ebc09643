/** Clients that log in: what one asks for, the person's decision, and the tokens that are in effect. */
import { z } from "zod";
import { countedPageOf, PageQuery, queryText } from "./page.ts";

/** The parameters of the client's request, as they are in the address of the page. */
const LoginQuery = z
  .record(z.string().max(100), z.string().max(20_000))
  .meta({ description: "The query of /authorize, unchanged." });

export const ClientLoginAsk = z
  .strictObject({
    request: LoginQuery,
    agent_id: z.string().optional().meta({ description: "To see the tools of this agent." }),
  })
  .meta({ id: "ClientLoginAsk" });
export type ClientLoginAsk = z.input<typeof ClientLoginAsk>;

export const LoginTool = z.object({
  name: z.string(),
  description: z.string(),
  risk: z.string(),
  policy: z.string(),
  asked_for: z.boolean().meta({ description: "Whether the client asks for it." }),
});

export const ClientLoginReview = z
  .object({
    client: z.object({
      name: z.string().meta({ description: "The client's own name for itself; not verified." }),
      host: z.string().nullable().meta({ description: "The host of its description, which it controls." }),
      home_page: z.string().nullable(),
      receiver: z.string().meta({ description: "Where the login is sent." }),
      loopback: z.boolean().meta({
        description: "It is sent to the person's own machine, where any program can claim to be this client.",
      }),
    }),
    surface: z.enum(["mcp", "a2a", "ag-ui", "ai-sdk", "openai"]),
    agent_id: z.string().nullable().meta({ description: "Null: the person chooses." }),
    scopes: z.array(z.string()),
    tools: z.array(LoginTool),
  })
  .meta({ id: "ClientLoginReview" });
export type ClientLoginReview = z.infer<typeof ClientLoginReview>;

export const ClientLoginAnswer = z
  .strictObject({
    request: LoginQuery,
    allow: z.boolean(),
    agent_id: z.string().optional().meta({ description: "Required to allow." }),
    scopes: z
      .array(z.string())
      .min(1)
      .max(500)
      .optional()
      .meta({ description: "At most what was asked for; by default all of it." }),
  })
  .meta({ id: "ClientLoginAnswer" });
export type ClientLoginAnswer = z.input<typeof ClientLoginAnswer>;
export const ClientLoginAnswered = z
  .object({ redirect_to: z.string().meta({ description: "Where the browser goes next." }) })
  .meta({ id: "ClientLoginAnswered" });
export type ClientLoginAnswered = z.infer<typeof ClientLoginAnswered>;

/** An agent's token, or a client's login with all its tokens. */
export const ActiveToken = z
  .object({
    id: z.string(),
    kind: z.enum(["agent", "client"]),
    name: z.string().meta({ description: "The token's name, or the client's." }),
    agent_id: z.string(),
    user: z.string(),
    resource: z.string().nullable().meta({ description: "The address it is for; null: /mcp." }),
    scopes: z.array(z.string()),
    receiver: z.string().nullable().meta({ description: "Where a client's login was sent." }),
    expires_at: z.string().nullable().meta({ description: "Null: until it is revoked." }),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: "ActiveToken" });
export type ActiveToken = z.infer<typeof ActiveToken>;
export const ActiveTokenList = countedPageOf(ActiveToken);
export const ActiveTokenQuery = PageQuery.extend({
  agent_id: z.string().max(200).optional(),
  kind: ActiveToken.shape.kind.optional(),
  q: queryText("the name, the user or the address it is for"),
});
export type ActiveTokenQuery = z.input<typeof ActiveTokenQuery>;
