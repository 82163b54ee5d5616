import { redTeamRows } from "./red-team-rows.ts";
import { secondRoundRows } from "./second-round-rows.ts";

// The rows of the host and the gateway (H…, R…, S…). Each is a test that `npm test` runs, belongs to what is not built yet, or remains.

export interface HostRow {
  readonly id: string;
  readonly title: string;
  /** The tests that attack this way, by file and the beginning of the name. */
  readonly tests?: readonly (readonly [file: string, name: string])[];
  /** Why there is nothing to attack yet. */
  readonly later?: string;
  /** Why it is left as it is; docs/security.md says more. */
  readonly remains?: string;
}

const here = "test/attacks/gateway.test.ts";
const declarations = "src/codegen/declarations.hostile.test.ts";
const stubs = "src/codegen/python/stubs.hostile.test.ts";
const upstreams = "src/upstream/upstreams.test.ts";
const remote = "src/upstream/remote.test.ts";
const dial = "src/sandbox/egress/dial.test.ts";
const hostile = "test/hostile-server.test.ts";
const generated = [
  [declarations, "adds no statement to the declarations and names no tag"],
  [declarations, "a server's text adds no statement to a generated folder"],
  [stubs, "a server's text as"],
  [stubs, "a server's text adds no statement to a generated folder, and importing that runs nothing"],
] as const;

const http = "test/gateway/http.test.ts";
const strangers = "test/gateway/http-strangers.test.ts";
const adding = "test/adding/gateway.test.ts";
const signIn = "src/upstream/oauth/sign-in.test.ts";
const workspace = "src/workspace/workspace.test.ts";
const pinned = "test/pins/definitions.test.ts";

const noLabels = "runs and values have no labels yet";

export const hostRows: readonly HostRow[] = [
  {
    id: "H001–H008",
    title: "the local HTTP surface: Host, Origin, forms of other pages, the token",
    tests: [
      [http, "the Host %j with %i"],
      [http, "the Origin %j with %i"],
      [http, "the token in the address"],
      ["src/gateway/http/token.test.ts", "in the header %j: %s"],
    ],
  },
  {
    id: "H010",
    title: "slow and endless headers and bodies, idle connections",
    tests: [
      [http, "too much that is not announced"],
      [strangers, "none comes to the end of its headers"],
      [strangers, "none comes to the end of its body"],
      ["test/gateway/http-bodies.test.ts", "a body of %s is refused before it is parsed"],
    ],
  },
  {
    id: "H011",
    title: "sessions that are guessed, ended or another's",
    tests: [
      [http, "a session ends when its client says so, and a session is not another's"],
      ["test/gateway/sessions.test.ts", "is told the name to go on with, which nobody guesses"],
    ],
  },
  { id: "H013", title: "texts of servers in pages", later: "there are no pages yet" },
  {
    id: "H014",
    title: "metadata that points at a private address",
    remains: "a server that you configured may be local, and so may its sign-in",
  },
  {
    id: "H016",
    title: "spellings of addresses",
    tests: [
      [dial, "the address %s is not reached by its number"],
      ["src/sandbox/egress/public-address.test.ts", "not public"],
    ],
  },
  {
    id: "H017",
    title: "names that resolve to private addresses, or to another at the second look",
    tests: [
      [dial, "an open name that resolves to"],
      [dial, "a name is resolved once, and the address that was checked is the one that is reached"],
    ],
  },
  {
    id: "H019–H023",
    title: "hostile authorization servers, tokens and callbacks",
    tests: [
      ["src/system/open-browser.test.ts", "the address is one argument, whatever it holds"],
      [signIn, "refuses an answer of %s"],
      [signIn, "is not ended by other visitors of the callback"],
      ["src/upstream/oauth/authorization.test.ts", "never has its token in an error, though it repeats it"],
    ],
  },
  {
    id: "H025",
    title: "hosts that only look like an allowed one",
    tests: [
      [dial, "%s is not open, and its name is never resolved"],
      ["src/config/allowed-host.test.ts", "the entry %j is refused"],
    ],
  },
  { id: "H026", title: "an empty list of hosts opens nothing", tests: [[dial, "an empty list opens nothing"]] },
  {
    id: "H028–H034",
    title: "runners as shells, dangerous variables, consent",
    tests: [
      [adding, "adds when the user has seen the whole command and agreed"],
      [adding, "is shown with its values, and a caution for variables that change what runs"],
      [adding, "is not asked about when it has %s"],
    ],
  },
  { id: "H031", title: "a project's configuration that starts servers", remains: "open only folders that you trust" },
  {
    id: "H035",
    title: "a hostile configuration file; secrets that it names",
    tests: [
      [here, "H035 a configuration with"],
      [here, "H035 a secret that a configuration names is not shown"],
      ["src/config/document.test.ts", "a million brackets are refused, not followed"],
      ["src/config/document.test.ts", "a key that is written twice is a problem at its second place"],
    ],
  },
  {
    id: "H037",
    title: "packages that drift between two starts",
    tests: [
      ["src/servers/floating-package.test.ts", "%s is left open"],
      ["test/cli/pins.test.ts", "writes the version that a package has now"],
    ],
  },
  {
    id: "H038",
    title: "a catalog that shapes a spawn",
    tests: [["src/catalog/registry/registry.test.ts", "a version is one word that is not an option"]],
  },
  {
    id: "H040",
    title: "secrets on command lines and in the environment of workers",
    tests: [
      [here, "H040 no process below the gateway has its secrets"],
      [upstreams, "the child gets its own settings and none of ours"],
    ],
  },
  { id: "H041", title: "the end of a comment in a server's text", tests: generated },
  { id: "H043", title: "quotes, templates and escapes in a server's text", tests: generated },
  { id: "H044", title: "line ends of every sort in a server's text", tests: generated },
  { id: "H046", title: "enums, constants and defaults that look like code", tests: generated },
  {
    id: "H047",
    title: "reserved words, digits and our own names as names of tools",
    tests: [
      ["src/catalog/names.test.ts", "the tool %j is imported as"],
      ["src/catalog/names.test.ts", "hostile names all get legal and different identifiers"],
    ],
  },
  {
    id: "H049",
    title: "names that are paths",
    tests: [
      ["src/codegen/generated-files.test.ts", "%j never becomes a file"],
      ["src/catalog/names.test.ts", "a server's module never hides another module"],
    ],
  },
  {
    id: "H050",
    title: "values of the wrong kind where a text belongs",
    tests: [
      [declarations, "of the wrong kind is passed over"],
      ["src/catalog/read-tools.test.ts", "a bad entry is named and does not hide its neighbours"],
    ],
  },
  { id: "H052", title: "directives and specifiers in a server's text", tests: generated },
  {
    id: "H053",
    title: "Python: braces, formats and annotations that are evaluated",
    tests: [
      [stubs, "a server's text as"],
      ["src/codegen/python/quote.test.ts", "every text is a literal of Python that means just that text"],
    ],
  },
  {
    id: "H055",
    title: "hundreds of naughty strings in all fields",
    tests: [
      [here, "H055 hundreds of naughty strings"],
      [hostile, "every good tool is there"],
      [hostile, "generated libraries type-check under strict"],
    ],
  },
  {
    id: "H056–H059",
    title: "orders in descriptions, definitions that change after approval",
    tests: [
      [pinned, "of what a server says otherwise"],
      [pinned, "is pinned too"],
      [pinned, "a list that changes between the check"],
    ],
  },
  {
    id: "H061",
    title: "servers and tools of the same name",
    tests: [
      [here, "H061 servers and tools of the same"],
      ["src/catalog/names.test.ts", "of names that map to the same identifier"],
    ],
  },
  { id: "H062", title: "tools named as ours", tests: [[here, "H062 a tool that is named as one of ours"]] },
  {
    id: "H064",
    title: "annotations that lie",
    tests: [["src/policy/policy.test.ts", "a claim does not lead past a rule"]],
  },
  {
    id: "H065",
    title: "lists without end, pages that repeat, huge descriptions",
    tests: [
      [here, "H065 100,000 tools"],
      [upstreams, "pages that repeat end where they do"],
      [upstreams, "there are limits"],
      ["src/catalog/read-tools.test.ts", "a long description is cut"],
    ],
  },
  { id: "H067", title: "patterns that never come back", tests: [[here, "H067 patterns of a schema are never run"]] },
  {
    id: "H068",
    title: "hostile URI templates",
    remains: "a template is handed on as text: none is filled or matched here",
  },
  {
    id: "H070",
    title: "a tool stuffed with words, and copies of it",
    tests: [
      ["src/catalog/search/search.test.ts", "a server stuffed with words and copies does not hide the others"],
      ["src/catalog/search/search.test.ts", "a crowd of equal tools leaves room for other servers"],
    ],
  },
  { id: "H071", title: "icons and links that are fetched", remains: "they are handed on as text: none is fetched" },
  { id: "H073", title: "hostile keys in a result", tests: [[here, "H073 a result with"]] },
  {
    id: "H074",
    title: "deep, huge and broken results",
    tests: [
      [here, "H074 a result with"],
      [upstreams, "a malformed answer fails its call at once"],
    ],
  },
  { id: "H076", title: "links in a result", tests: [[here, "H076 links in a result are not followed"]] },
  { id: "H077", title: "a result that claims another origin", tests: [[here, "H077 a result cannot speak for"]] },
  { id: "H079–H083", title: "tokens for personal data, labels, caches", later: noLabels },
  {
    id: "H085",
    title: "noise on stdout",
    tests: [
      [upstreams, "a server's stdout may be untidy"],
      [upstreams, "a line without an end closes the connection and nothing else"],
    ],
  },
  {
    id: "H086",
    title: "answers to other ids, twice, or after a cancel",
    tests: [
      [here, "H086 answers to other, unknown and repeated ids"],
      [upstreams, "because it was cancelled is unknown, and a late answer reaches nobody"],
    ],
  },
  {
    id: "H088",
    title: "a handshake that never comes, or is hostile",
    tests: [
      [here, "H088 a handshake with"],
      [upstreams, "in time is reported with what it wrote, and ended"],
    ],
  },
  {
    id: "H089",
    title: "a flood on stderr",
    tests: [
      [here, "H089 200 MB of noise on stderr"],
      [upstreams, "an error that the server answers with is thrown as failed, readable and without control characters"],
    ],
  },
  {
    id: "H091",
    title: "a server that ends again and again",
    tests: [
      [upstreams, "may be tried again at once after the first failure, then is left alone for a while"],
      [upstreams, "after it was ready counts as failed too, when it never answered"],
    ],
  },
  {
    id: "H092",
    title: "hostile remote servers",
    tests: [
      [here, "H092 a remote server that"],
      [remote, "that answers with more than a result may have fails that call only"],
      [remote, "is given up when it never answers"],
    ],
  },
  { id: "H094", title: "clocks and lifetimes", later: "no lifetime of a server is honoured yet" },
  {
    id: "H095",
    title: "paths out of the allowed folders",
    tests: [
      ["src/workspace/file-name.test.ts", "%j is a path"],
      [workspace, "a link anywhere on the way is refused, and is not listed"],
      [workspace, "a name that differs only in case or accents is refused"],
      [workspace, "pipes, sockets, devices and folders are refused and do not make anybody wait"],
    ],
  },
  {
    id: "H097",
    title: "secrets in logs and errors",
    tests: [
      [here, "H097 secrets in headers, addresses and last words are not told"],
      [remote, "says its status and host, and never a header"],
    ],
  },
  {
    id: "H098",
    title: "SQL in names and queries",
    tests: [
      [here, "H098 names and queries with the syntax of SQL"],
      ["src/catalog/search/search.test.ts", "%j is words, not syntax"],
    ],
  },
  {
    id: "H100",
    title: "the same verdict on every path",
    tests: [[here, "H100 a denied tool is denied on every path"]],
  },
  {
    id: "H101–H103",
    title: "approvals and read-only runs",
    tests: [
      ["test/approvals/hold.test.ts", "a hundred times resume_run approves nothing"],
      ["test/stores/approval-store.contract.test.ts", "one for a run may be used often, one for a call once"],
      ["test/policy/faces.test.ts", ": every face that there is"],
    ],
  },
  {
    id: "H104",
    title: "bundles that reach outside",
    tests: [
      ["src/skills/agent-skill-folder.test.ts", "%s is refused with the reason"],
      ["src/skills/agent-skill-folder.test.ts", "links are not followed"],
    ],
  },
  ...redTeamRows,
  ...secondRoundRows,
];
