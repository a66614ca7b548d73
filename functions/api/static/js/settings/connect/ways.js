// The line that each assistant takes. On one machine it may start `autri mcp` itself, elsewhere it asks the address.

/** As a shell takes it. */
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** What `dataset` says of this server (`origin`; on one machine `command` and `home`) as lines to paste. */
export function waysOf({ origin, command, home }, onOneMachine) {
  const url = `${origin}/mcp`;
  const started = { command, args: ["mcp"], env: { AUTRI_HOME: home } };
  const json = (value) => JSON.stringify(value, null, 2);
  return [
    { name: "Claude Code", how: "in a terminal; then /mcp signs you in", text: `claude mcp add --transport http autri ${quoted(url)}` },
    onOneMachine && {
      name: "Claude Code, without signing in",
      how: "it starts Autri itself and acts as you",
      text: `claude mcp add autri --env AUTRI_HOME=${quoted(home)} -- ${quoted(command)} mcp`,
    },
    onOneMachine
      ? { name: "Claude Desktop", how: "in claude_desktop_config.json (Settings, Developer)", text: json({ mcpServers: { autri: started } }) }
      : { name: "Claude Desktop", how: "Settings, Connectors, Add custom connector: this address", text: url },
    { name: "Cursor", how: "in ~/.cursor/mcp.json", text: json({ mcpServers: { autri: { url } } }) },
    { name: "VS Code", how: "in a terminal", text: `code --add-mcp ${quoted(JSON.stringify({ name: "autri", type: "http", url }))}` },
    { name: "Any other", how: "streamable HTTP, with OAuth or a key as bearer token", text: url },
  ].filter(Boolean);
}
