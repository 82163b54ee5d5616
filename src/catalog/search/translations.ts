import { plainWord } from "./words.ts";

/**
 * What people ask tools for most, in German, French, Spanish, Chinese and Japanese, by the English word that tools use. Enough
 * that a short request is understood; it is not a dictionary.
 */
const table: Readonly<Record<string, string>> = {
  get: "holen abrufen obtenir recuperer obtener conseguir 获取 取得",
  show: "zeigen anzeigen afficher montrer mostrar ver 显示 查看 表示 見る",
  read: "lesen lire leer 读取 阅读 读 読む 読み込",
  list: "auflisten liste lister listar lista 列出 列表 一覧",
  create: "erstellen anlegen erzeugen neu neue neuen neues creer crear nueva nuevo 创建 新建 作成 作る",
  generate: "generieren generer generar 生成",
  add: "hinzufügen ajouter agregar añadir 添加 追加",
  delete: "löschen entfernen supprimer effacer eliminar borrar 删除 削除",
  update: "aktualisieren ändern bearbeiten modifier modificar actualizar mettre 更新 修改 変更",
  search: "suchen suche finden chercher rechercher trouver buscar encontrar 搜索 查找 查询 検索 探す",
  write: "schreiben écrire escribir 写入 书き込 書く",
  send: "senden schicken envoyer enviar 发送 送信 送る",
  run: "ausführen starten exécuter lancer ejecutar iniciar 执行 运行 実行",
  open: "öffnen ouvrir abrir 打开 開く",
  close: "schließen fermer cerrar 关闭 閉じる",
  move: "verschieben bewegen déplacer mover 移动 移動",
  rename: "umbenennen renommer renombrar 重命名 名前変更",
  copy: "kopieren copier copiar 复制 コピー",
  download: "herunterladen télécharger descargar 下载 ダウンロード",
  upload: "hochladen téléverser subir 上传 アップロード",
  convert: "umrechnen umwandeln konvertieren convertir 转换 変換",
  compare: "vergleichen comparer comparar 比较 比較",
  merge: "zusammenführen fusionner fusionar 合并 統合 マージ",
  switch: "wechseln changer cambiar 切换 切り替え",
  save: "speichern sichern enregistrer sauvegarder guardar 保存",
  check: "prüfen überprüfen vérifier comprobar verificar 检查 確認",
  count: "zählen anzahl compter nombre contar 计数 统计 数える",
  click: "klicken cliquer clic 点击 クリック",
  translate: "übersetzen traduire traducir 翻译 翻訳",
  file: "datei dateien fichier fichiers archivo archivos 文件 ファイル",
  directory: "ordner verzeichnis dossier répertoire carpeta 文件夹 目录 フォルダ",
  page: "seite seiten page pages página páginas 页面 网页 ページ",
  website: "webseite website site sitio 网站 サイト",
  message: "nachricht nachrichten mensaje mensajes 消息 メッセージ",
  channel: "kanal kanäle canal canales 频道 チャンネル",
  comment: "kommentar commentaire comentario 评论 コメント",
  image: "bild bilder foto imagen imágenes 图片 图像 画像",
  user: "benutzer nutzer utilisateur usuario usuarios 用户 ユーザー",
  time: "zeit uhrzeit heure hora tiempo 时间 時刻 時間",
  timezone: "zeitzone fuseau 时区 タイムゾーン",
  date: "datum fecha 日期 日付",
  table: "tabelle tabellen tableau tabla tablas 表格 数据表 テーブル",
  row: "zeile zeilen ligne fila filas 行",
  database: "datenbank base données datos 数据库 データベース",
  query: "abfrage abfragen requête consulta クエリ",
  repository: "dépôt repositorio repositorios 仓库 リポジトリ",
  branch: "zweig branche rama ramas 分支 ブランチ",
  code: "quelltext código 代码 コード",
  issue: "fehlerbericht incidencia 问题 課題",
  error: "fehler erreur fallo 错误 エラー",
  chart: "diagramm graphique gráfico 图表 グラフ",
  map: "karte carte mapa 地图 地図",
  address: "adresse dirección 地址 住所",
  directions: "route wegbeschreibung itinéraire ruta 路线 経路",
  task: "aufgabe aufgaben tâche tarea tareas 任务 タスク",
  document: "dokument dokumente documento documentos 文档 ドキュメント 文書",
  screenshot: "bildschirmfoto bildschirmaufnahme capture captura 截图 スクリーンショット",
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

/** Terms of scripts that write without spaces; their words cannot be told apart, so they are looked for in the whole text. */
const unspacedTerms = [...translations.keys()].filter((term) => /[^\p{sc=Latin}]/u.test(term));

/** English for a word of another language, nothing for its small words; undefined for words that are not known. */
export function translated(word: string): readonly string[] | undefined {
  return translations.get(word);
}

/** The known terms in a text that is written without spaces. */
export function termsIn(text: string): string[] {
  return /[\u3040-\u30ff\u4e00-\u9fff]/.test(text) ? unspacedTerms.filter((term) => text.includes(term)) : [];
}
