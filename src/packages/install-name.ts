import { isBuiltin } from "node:module";
import type { Language } from "../sandbox/engine.ts";
import { nearest } from "../system/nearest.ts";

/** What to install for a module that is missing, or what was probably meant instead; neither where no package has it. */
export interface PackageForModule {
  readonly install?: string;
  readonly instead?: string;
}

/**
 * The package that brings a module, by its import's name. Says nothing of whether it is installed. `others` are modules
 * that are there, and could have been meant by a name that is not well known.
 */
export function packageForModule(language: Language, module: string, others: readonly string[] = []): PackageForModule {
  return language === "python" ? pythonPackage(module, others) : npmPackage(module, others);
}

function pythonPackage(module: string, others: readonly string[]): PackageForModule {
  if (!/^[A-Za-z_]\w*(\.\w+)*$/.test(module)) return {};
  const parts = module.split(".");
  for (let length = parts.length; length > 0; length--) {
    const install = otherwiseNamed.get(parts.slice(0, length).join("."));
    if (install !== undefined) return { install };
  }
  const [first = ""] = parts;
  if (first.startsWith("_") || meansNothing.has(first)) return {};
  if (sameName.has(first)) return { install: first };
  const known = [...otherwiseNamed.keys()].filter((name) => !name.includes("."));
  // Of names that are equally near, the first.
  const instead = nearest(first, [...mostUsed, ...others, ...sameName, ...known]);
  return instead === undefined ? { install: first } : { instead };
}

function npmPackage(specifier: string, others: readonly string[]): PackageForModule {
  if (isBuiltin(specifier)) return { instead: `node:${specifier.replace(/^node:/, "")}` };
  const [, ofRegistry] = /^npm:\/?(@?[^@]+)/.exec(specifier) ?? [];
  if (ofRegistry !== undefined) return { instead: ofRegistry };
  const [, name] = /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:\/.*)?$/.exec(specifier) ?? [];
  if (name === undefined || name.length > 214 || localNames.has(name)) return {};
  if (npmNames.has(name) || name.startsWith("@")) return { install: name };
  const instead = nearest(specifier, others) ?? nearest(name, npmNames);
  return instead === undefined ? { install: name } : { instead };
}

/** Modules of Python packages that are imported more than most of Python's own. */
export const mostUsed: readonly string[] =
  "numpy pandas matplotlib requests scipy PIL sklearn bs4 yaml seaborn plotly openpyxl lxml httpx aiohttp sqlalchemy sympy networkx polars pyarrow tqdm".split(
    " ",
  );

/** Well-known modules of Python whose package has another name. */
const otherwiseNamed = new Map(
  Object.entries({
    attr: "attrs",
    Bio: "biopython",
    bs4: "beautifulsoup4",
    cairo: "pycairo",
    Crypto: "pycryptodome",
    Cryptodome: "pycryptodomex",
    cv2: "opencv-python",
    dateutil: "python-dateutil",
    Levenshtein: "python-Levenshtein",
    discord: "discord.py",
    dns: "dnspython",
    docx: "python-docx",
    dotenv: "python-dotenv",
    faiss: "faiss-cpu",
    fitz: "PyMuPDF",
    flask_cors: "Flask-Cors",
    flask_sqlalchemy: "Flask-SQLAlchemy",
    gi: "PyGObject",
    git: "GitPython",
    github: "PyGithub",
    gitlab: "python-gitlab",
    "google.auth": "google-auth",
    "google.cloud.bigquery": "google-cloud-bigquery",
    "google.cloud.firestore": "google-cloud-firestore",
    "google.cloud.pubsub": "google-cloud-pubsub",
    "google.cloud.storage": "google-cloud-storage",
    "google.genai": "google-genai",
    "google.generativeai": "google-generativeai",
    "google.oauth2": "google-auth",
    "google.protobuf": "protobuf",
    googleapiclient: "google-api-python-client",
    grpc: "grpcio",
    jose: "python-jose",
    jwt: "PyJWT",
    kafka: "kafka-python",
    ldap: "python-ldap",
    magic: "python-magic",
    memcache: "python-memcached",
    mpl_toolkits: "matplotlib",
    multipart: "python-multipart",
    MySQLdb: "mysqlclient",
    nacl: "PyNaCl",
    OpenSSL: "pyOpenSSL",
    paho: "paho-mqtt",
    pkg_resources: "setuptools",
    playhouse: "peewee",
    pptx: "python-pptx",
    psycopg2: "psycopg2-binary",
    PIL: "Pillow",
    pyasn1_modules: "pyasn1-modules",
    pylab: "matplotlib",
    pythoncom: "pywin32",
    pywintypes: "pywin32",
    rapidjson: "python-rapidjson",
    rest_framework: "djangorestframework",
    ruamel: "ruamel.yaml",
    sentence_transformers: "sentence-transformers",
    serial: "pyserial",
    skimage: "scikit-image",
    sklearn: "scikit-learn",
    slugify: "python-slugify",
    snappy: "python-snappy",
    socks: "PySocks",
    talib: "TA-Lib",
    telegram: "python-telegram-bot",
    umap: "umap-learn",
    usb: "pyusb",
    vlc: "python-vlc",
    websocket: "websocket-client",
    whois: "python-whois",
    win32api: "pywin32",
    win32com: "pywin32",
    win32con: "pywin32",
    wx: "wxPython",
    Xlib: "python-xlib",
    yaml: "PyYAML",
    zmq: "pyzmq",
  }),
);

/** Well-known packages of Python that have the name of their module: what a slip of the finger is near to. */
const sameName = new Set(
  `aiohttp altair anthropic anyio arrow asyncpg babel bokeh boto3 botocore cachetools certifi chardet click cryptography
  cython dask deprecated django duckdb emoji faker fastapi feedparser flask folium gensim geopandas geopy graphviz gunicorn h5py html5lib
  httpx hypothesis ics idna igraph imageio ipython isodate jinja2 joblib jsonschema keras langchain ldap3 lightgbm loguru lxml markupsafe
  matplotlib mistune mpmath markdown mypy networkx nltk notion_client numba numpy openai openpyxl orjson packaging pandas paramiko patsy
  pendulum pillow plotly polars psutil psycopg pyarrow pydantic pygments pymongo pymysql pyparsing pypdf pytest pytz
  qrcode rapidfuzz redis regex reportlab requests rich scipy seaborn selenium sentencepiece shapely simplejson six
  spacy sqlalchemy statsmodels stripe sympy tabulate tenacity tensorflow textblob tiktoken tinydb toml tomlkit torch torchvision tornado
  tqdm transformers typer tzdata ujson unidecode urllib3 uvicorn validators werkzeug wordcloud xarray xgboost xlrd xlsxwriter
  xlwt xmltodict yfinance zstandard`.split(/\s+/),
);

/**
 * Modules that no package should be installed for: files that the author thinks are there, modules of Python 2 and of other
 * systems, and names under which the index holds something else than what an import of them means.
 */
const localNames = new Set(
  "app common config constants core data database db helper helpers lib local main models module my_module mymodule package project server settings shared src test tests tool tools types util utils".split(
    " ",
  ),
);
const meansNothing = new Set([
  ...localNames,
  ..."BaseHTTPServer ConfigParser Cookie HTMLParser Queue SocketServer StringIO Tkinter cPickle cStringIO commands cookielib copy_reg dummy_thread htmlentitydefs httplib md5 sets sha thread tkMessageBox urllib2 urlparse xmlrpclib".split(
    " ",
  ),
  ..."apt apt_pkg bpy google idaapi js maya micropython pip pyodide pyodide_js unreal".split(" "),
]);

/** Well-known packages of npm, for the same. */
const npmNames = new Set(
  `ajv async axios bignumber chalk cheerio classnames colors commander cors csv-parse csv-stringify d3 date-fns dayjs debug
  decimal.js dotenv ejs esbuild eventemitter3 express fast-xml-parser fs-extra fuse.js glob got handlebars he iconv-lite
  immer inquirer jose js-yaml json5 jsonwebtoken jszip lodash lodash-es lru-cache luxon markdown-it marked mathjs minimatch
  minimist moment moment-timezone ms mustache nanoid node-fetch octokit p-limit p-map p-queue papaparse pdf-lib pg pino prettier
  qs ramda react react-dom redis rxjs semver sharp slugify svelte tslib turndown typescript uuid validator vue winston ws xlsx
  xml2js yaml yargs yup zod`.split(/\s+/),
);
