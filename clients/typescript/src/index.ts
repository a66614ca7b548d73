/** Autri over HTTP, typed by its OpenAPI document (`schema.ts`, made by `make clients`). */
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];
export type Answer = Schemas["Answer"];
export type Hit = Schemas["Hit"];
export type Problem = Schemas["Problem"];

/** The server said no; `problem` is its whole answer (RFC 9457). */
export class ApiError extends Error {
  constructor(readonly status: number, readonly problem: Partial<Problem>) {
    super(problem.detail ?? `The server answered ${status}.`);
    this.name = "ApiError";
  }
}

export interface Options {
  /** The server's address, without `/v1`; a login in it (`https://name:password@host`) is sent in place of a token. */
  url: string;
  /** An API key, or what `autri token create` prints. */
  token?: string;
  /** The slug of the organization, for people who are in several. */
  organization?: string;
  fetch?: typeof fetch;
}

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

type Scope = { knowledge_base_ids?: string[]; documents?: string[] | null; include_superseded?: boolean };
type Asked<Name extends "SearchRequest" | "LookupRequest" | "AskRequest"> = Partial<Schemas[Name]> & Scope;

/** What people do most, by name; `api` has every operation, typed by its path. */
export class Autri {
  readonly api: Client<paths>;

  constructor({ url, token, organization, fetch }: Options) {
    const headers: Record<string, string> = {};
    if (token) headers["Authorization"] = `Bearer ${token}`;
    const [base, login] = withoutLogin(url);
    if (login) headers["Authorization"] = `Basic ${base64(login)}`;
    if (organization) headers["X-Autri-Organization"] = organization;
    this.api = createClient<paths>({ baseUrl: base.replace(/\/+$/, ""), headers, ...(fetch ? { fetch } : {}) });
  }

  async search(query: string, options: Asked<"SearchRequest"> = {}): Promise<Schemas["SearchResult"]> {
    return taken(await this.api.POST("/v1/search", { body: { ...options, query } as Schemas["SearchRequest"] }));
  }

  async lookup(address: string, options: Asked<"LookupRequest"> = {}): Promise<Schemas["LookupResult"]> {
    return taken(await this.api.POST("/v1/lookup", { body: { ...options, address } as Schemas["LookupRequest"] }));
  }

  async ask(question: string, options: Asked<"AskRequest"> = {}): Promise<Answer> {
    return taken(await this.api.POST("/v1/ask", { body: { ...options, question } as Schemas["AskRequest"] }));
  }

  knowledgeBases(): AsyncGenerator<Schemas["KnowledgeBase"]> {
    return items((cursor) => this.api.GET("/v1/knowledge-bases", { params: { query: { cursor } } }));
  }

  documents(knowledgeBase?: string): AsyncGenerator<Schemas["Document"]> {
    const query = { knowledge_base_id: knowledgeBase };
    return items((cursor) => this.api.GET("/v1/documents", { params: { query: { ...query, cursor } } }));
  }

  chunks(document: string): AsyncGenerator<Schemas["Chunk"]> {
    const path = { document_id: document };
    return items((cursor) => this.api.GET("/v1/documents/{document_id}/chunks", { params: { path, query: { cursor } } }));
  }
}

/** The address alone, and `name:password`: `fetch` refuses an address that has one. */
function withoutLogin(url: string): [string, string] {
  const found = /^(\w+:\/\/)([^/?#]*)@/.exec(url);
  if (!found) return [url, ""];
  const [whole, scheme, login] = found as unknown as [string, string, string];
  const [name, ...password] = login.split(":");
  return [scheme + url.slice(whole.length), `${unquoted(name!)}:${unquoted(password.join(":"))}`];
}

/** A percent sign that begins no code is one. */
function unquoted(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** As openapi-fetch gives it; its mapped types lose tuples, so that data is what the schema says of it. */
interface Said {
  data?: unknown;
  error?: unknown;
  response: Response;
}

function taken<T>({ data, error, response }: Said): T {
  if (data === undefined) throw new ApiError(response.status, (error ?? {}) as Partial<Problem>);
  return data as T;
}

async function* items<T>(fetchPage: (cursor: string | undefined) => Promise<Said>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page: Page<T> = taken(await fetchPage(cursor));
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
