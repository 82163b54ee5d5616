import { chineseTerms, glossesOf } from "./glossary.ts";
import { plainWord } from "./words.ts";

/**
 * What people ask tools for most, in German, French, Spanish and Japanese, by the English word that tools use. Enough
 * that a short request is understood; it is not a dictionary. Chinese has its own: glossary.ts.
 */
const table: Readonly<Record<string, string>> = {
  get: "holen abrufen obtenir recuperer obtener conseguir 取得",
  show: "zeigen anzeigen afficher montrer mostrar ver 表示 見る",
  read: "lesen lire leer 読む 読み込",
  list: "auflisten liste lister listar lista 一覧",
  create: "erstellen anlegen erzeugen neu neue neuen neues creer crear nueva nuevo 作成 作る",
  generate: "generieren generer generar 生成",
  add: "hinzufügen ajouter agregar añadir 追加",
  delete: "löschen entfernen supprimer effacer eliminar borrar 削除",
  update: "aktualisieren ändern bearbeiten modifier modificar actualizar mettre 更新 変更",
  search: "suchen suche finden chercher rechercher trouver buscar encontrar 検索 探す",
  write: "schreiben écrire escribir 书き込 書く",
  send: "senden schicken envoyer enviar 送信 送る",
  run: "ausführen starten exécuter lancer ejecutar iniciar 実行",
  open: "öffnen ouvrir abrir 開く",
  close: "schließen fermer cerrar 閉じる",
  move: "verschieben bewegen déplacer mover 移動",
  rename: "umbenennen renommer renombrar 名前変更",
  copy: "kopieren copier copiar コピー",
  download: "herunterladen télécharger descargar ダウンロード",
  upload: "hochladen téléverser subir アップロード",
  convert: "umrechnen umwandeln konvertieren convertir 変換",
  compare: "vergleichen comparer comparar 比較",
  merge: "zusammenführen fusionner fusionar 統合 マージ",
  switch: "wechseln changer cambiar 切り替え",
  save: "speichern sichern enregistrer sauvegarder guardar 保存",
  check: "prüfen überprüfen vérifier comprobar verificar 確認",
  count: "zählen anzahl compter nombre contar 数える",
  click: "klicken cliquer clic クリック",
  translate: "übersetzen traduire traducir 翻訳",
  file: "datei dateien fichier fichiers archivo archivos ファイル",
  directory: "ordner verzeichnis dossier répertoire carpeta フォルダ",
  page: "seite seiten page pages página páginas ページ",
  website: "webseite website site sitio サイト",
  message: "nachricht nachrichten mensaje mensajes メッセージ",
  channel: "kanal kanäle canal canales チャンネル",
  comment: "kommentar commentaire comentario コメント",
  image: "bild bilder foto imagen imágenes 画像",
  user: "benutzer nutzer utilisateur usuario usuarios ユーザー",
  time: "zeit uhrzeit heure hora tiempo 時刻 時間",
  timezone: "zeitzone fuseau タイムゾーン",
  date: "datum fecha 日期 日付",
  table: "tabelle tabellen tableau tabla tablas テーブル",
  row: "zeile zeilen ligne fila filas 行",
  database: "datenbank base données datos データベース",
  query: "abfrage abfragen requête consulta クエリ",
  repository: "dépôt repositorio repositorios リポジトリ",
  branch: "zweig branche rama ramas ブランチ",
  code: "quelltext código コード",
  issue: "fehlerbericht incidencia 課題",
  error: "fehler erreur fallo エラー",
  chart: "diagramm graphique gráfico グラフ",
  map: "karte carte mapa 地図",
  address: "adresse dirección 住所",
  directions: "route wegbeschreibung itinéraire ruta 経路",
  task: "aufgabe aufgaben tâche tarea tareas タスク",
  document: "dokument dokumente documento documentos ドキュメント 文書",
  screenshot: "bildschirmfoto bildschirmaufnahme capture captura スクリーンショット",
};

const smallWords =
  "der die das den dem des ein eine einen einem einer im am zu mit und oder auf für von aus bei nach über le la les un une du de dans et sur pour avec est el los las una en con por para del al y que";

const translations = new Map<string, string[]>();
for (const [english, foreign] of Object.entries(table)) {
  for (const word of foreign.split(" ").map(plainWord)) {
    translations.set(word, [...(translations.get(word) ?? []), english]);
  }
}
for (const word of smallWords.split(" ").map(plainWord)) if (!translations.has(word)) translations.set(word, []);

/** Terms of Japanese; its words cannot be told apart, so they are looked for in the whole text. */
const japaneseTerms = [...translations.keys()].filter((term) => /[^\p{sc=Latin}]/u.test(term));

/** English for a word of another language, nothing for its small words; undefined for words that are not known. */
export function translated(word: string): readonly string[] | undefined {
  return translations.get(word) ?? glossesOf(word)[0]?.split(" ");
}

/** The known terms in a text that is written without spaces. */
export function termsIn(text: string): string[] {
  if (!/[\u3040-\u30ff\u4e00-\u9fff]/.test(text)) return [];
  const chinese = chineseTerms(text);
  return chinese.length > 0 ? chinese : japaneseTerms.filter((term) => text.includes(term));
}
