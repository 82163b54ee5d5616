/**
 * English for the words that tools described in Chinese are described with: they are asked for in English. First the English, the most
 * usual word before others for the same (with hyphens where it is several), then the Chinese. It is not a dictionary: words that
 * software seldom uses, and characters that mean something else in every other word, are left out.
 */
const table = `
get 获取 取得 得到 取回 拉取 取出 调取 获得 领取, search query get 查询 查阅, search 搜索 检索 搜寻 搜, find 查找 寻找 找到 找出,
list 列表 列出 清单 列取 一览 名单, read 读取 阅读 朗读, show 显示 展示 呈现 预览图, view show 浏览 视图 观看, preview 预览,
create 创建 新建 建立 新增 创立 创作, add 添加 增加 追加 加入 补充, insert 插入, generate 生成 产生, make 制作 制定,
delete 删除 删掉 清除, remove 移除 移出 去除 去掉 剔除, clear empty 清空 清理, update 更新 刷新,
update modify change 修改 更改 变更 改动, edit 编辑, adjust 调整 调节, set 设置 设定 设为, configure configuration 配置 组态,
reset 重置 复位, write 写入 编写 撰写 书写, save 保存 存储 储存 存入, store 商店 店铺 门店, send 发送 寄送 推送 下发 派发,
receive 接收 收到 收取, reply 回复 答复 回应 应答, forward 转发, share 分享 共享, publish post 发布 发表 发帖,
release 发行 版本发布, submit 提交 上报 递交, upload 上传, download 下载, import 导入, export 导出, open 打开 开启 启用,
enable 激活 开通, disable 禁用 停用, close 关闭 关掉 收起, start 开始 启动 发起, stop 停止 终止 中止, end 结束 完结,
finish complete 完成 完毕 完整, cancel 取消 撤销 作废, undo withdraw recall 撤回 回退, pause 暂停, resume continue 继续,
restart 重启, retry 重试, skip 跳过, run execute 执行 运行, call invoke 调用, trigger 触发,
schedule 调度 排期 日程 排班 日程表 时间表, plan 计划 规划 方案 规划出, arrange 安排, move 移动 移到 移至 迁移,
copy 复制 拷贝 抄送, paste 粘贴, rename 重命名 改名, replace 替换 更换, merge 合并 整合, split 拆分 分割 切分,
convert 转换 转化 转成 转为 换算, transform 变换, translate 翻译 互译, compare 比较 对比 比对, sort 排序 排列,
filter 筛选 过滤 筛查, group 分组 群组 群 组 小组 群聊, count 计数 个数 条数, calculate 计算 测算,
analyze analysis 分析 解析 剖析, summarize summary 总结 摘要 概括 汇总 概要 概览, extract 提取 抽取 萃取,
classify category 分类 归类 类别 类目 品类, recognize 识别 辨识, detect 检测 侦测 探测, check 检查 核对 核查 查验 巡检,
verify 验证 校验 核实 核验 确认, test 测试 试验, monitor 监控 监测 监听 监视, track 跟踪 追踪 轨迹, manage management 管理,
administrator 管理员, control 控制 管控 控件, operate operation 操作 运营 运作, process 处理 流程 进程 工序,
workflow process 工作流 流程图 审批流, handle 办理, support 支持 支援, provide 提供, use 使用 采用 利用 用,
request 请求 申请 申请单, apply 报名, approve approval 审批 批准 审核 同意 通过审批, reject refuse 拒绝 驳回,
review 评审 审查 复盘 复核 点评, comment 评论 留言 批注 评语, rating score 评分 打分 得分 分数, evaluate 评估 评价 评测 考评,
recommend 推荐, suggest suggestion 建议, invite invitation 邀请 邀约, join 加入群 参加 参与,
participant attendee 参与者 参与人 参会人 参会者 与会者 参加者 出席人, leave 离开 请假 休假 假期, exit quit 退出,
login 登录 登陆 登入, logout 登出 注销 退出登录, register 注册 登记, sign 签名 签署 签, sign-in 签到, subscribe subscription 订阅,
unsubscribe 退订 取消订阅, follow 关注, follower fan 粉丝 关注者 关注人, like 点赞 喜欢 赞, unlike 取消点赞, favorite 收藏 收藏夹,
bookmark 书签, pin 置顶 钉选, remind reminder 提醒 催办, notify notification 通知, announcement notice 公告 须知,
subscribe-event 订阅事件, bind 绑定, unbind 解绑, connect connection 连接 联接, disconnect 断开 断连, link 链接 关联 超链接,
install 安装, uninstall 卸载, deploy deployment 部署, build 构建 编译 搭建, compile 编译出, debug 调试, commit 提交记录,
lock 锁定 加锁, unlock 解锁, encrypt 加密, decrypt 解密, compress 压缩, decompress unzip 解压, backup 备份,
restore 恢复 还原 复原, recover 找回, archive 归档 存档, migrate 迁徙, sync synchronize 同步, async 异步,
authorize authorization 授权 鉴权 授予, permission 权限 许可, login-status 登录状态, authenticate identity 认证 身份 身份验证,
grant 赋予 发放, transfer 转移 转让 转账 移交 转交, buy purchase 购买 买入 采购 购 购票, sell 卖出 出售 售卖 销售,
order 订单 下单 订购 工单, book reserve reservation 预订 预定 预约 订票, pay payment 支付 付款 缴费 缴纳,
refund 退款 退费 退票 退货 退还 返还, recharge top-up 充值, rent 租 租赁 租用 出租, car-rental rent 租车, exchange 兑换 交换 交流,
withdraw 提现 取款, deposit 存款 押金, ship deliver delivery 配送 发货 快递 物流 派送 送货, express package parcel 包裹 快件 运单,
print 打印, scan 扫描 扫码, draw 绘制 画 绘画, record 记录 录音 录制, play 播放, crop 裁剪 剪裁, resize 缩放, rotate 旋转,
click 点击 单击, drag 拖拽 拖动, scroll 滚动, input 输入 录入, output 输出, fill 填写 填充 填, select choose 选择 选取 选定 选,
specified 指定 特定, custom 自定义 定制, default 默认 缺省, batch 批量 批次, multiple 多个 多条 多种 若干,
one single 单个 单条 一个 单次, all 所有 全部 全量 整个, current 当前 现有 现行, latest recent 最新 最近 近期,
next 下一个 接下来 下次, previous 上一个 上次 前一个, related 相关 有关, new 新 全新, old 旧, detail 详情 详细 明细 细节 详细信息,
information info 信息 资讯 情报, data 数据 资料, metadata 元数据, database 数据库, table 表格 数据表 多维表格,
spreadsheet 电子表格 工作簿, sheet worksheet 工作表, row 行数据, column 列, cell 单元格, field 字段 栏位, form 表单, formula 公式,
index 索引 指数 下标, key 密钥 键值 关键, value 数值 取值, type 类型 种类, name 名称 名字 姓名, title 标题 题目 主题,
description 描述 说明, content 内容 正文, text 文本 文字 文案, document doc 文档 云文档 公文, file 文件 档案,
directory folder 文件夹 目录 资料夹, path 路径, attachment 附件, image picture 图片 图像 图, photo 照片 相片 拍照,
video 视频 影片 音视频, audio 音频 声音, voice speech 语音, music song 音乐 歌曲, subtitle caption 字幕, font 字体,
color 颜色 色彩 配色, size 大小 尺寸, width 宽度 宽高, height 高度 身高, format 格式, template 模板 模版 范本, style 样式 风格,
page 页面 主页 首页, web 网络, website site 网站 站点 官网, url link 网址 地址链接, address 地址 住址 网络地址, domain 域名,
browser 浏览器, screenshot 截图 截屏, cache 缓存, server 服务器 伺服器 主机, service 服务 客服, client customer 客户 客户端 顾客,
user 用户 使用者, account 账号 账户 帐号 帐户, password 密码 口令, verification-code 验证码, token 令牌,
person people personnel 人员 人物, member 成员 会员, team 团队 队伍, owner 所有者 拥有者 群主 负责人, author 作者,
creator 创建者 创建人, friend 好友 朋友, contact 联系人 联系 通讯录 联系方式, phone mobile 手机 电话 手机号 电话号码,
email mail 邮件 邮箱 电子邮件 电邮 邮, mailbox 收件箱 信箱, message 消息 讯息 信息流 短信, sms message 短信通知 短讯,
chat conversation 聊天 会话 对话 单聊, channel 频道 渠道 通道, topic 话题 议题, thread 线程 帖子 协程, feed 动态 消息流,
note 笔记 便签 备注, blog article 文章 博客 博文 推文, news 新闻 头条, hot trending 热门 热点 热榜 热搜 榜单 热度,
ranking 排行 排名 排行榜 名次, tag label 标签 标记 标注, emoji expression 表情, avatar 头像, robot bot 机器人,
assistant 助手 助理, agent 智能体 代理, model 模型 型号, prompt 提示词 提示, knowledge 知识, knowledge-base wiki 知识库,
question 提问 疑问, answer 回答 答案, issue 缺陷 议案, error 错误 报错 出错 差错, exception abnormal 异常,
fault failure 故障 失败, success 成功, status state 状态 状况 情况, progress 进度 进展, result 结果 成果,
report 报告 报表 汇报 报道, log 日志 流水, history 历史 以往 过去, version 版本, change-request 变更请求,
requirement demand 需求 要求, task 任务 待办 代办 作业 待办事项, todo 待办清单, project 项目 工程, iteration sprint 迭代,
milestone 里程碑, work 工作, work-hours effort 工时, work-item 工作项, deadline due-date 截止 截止时间 截止日期 到期 期限,
priority 优先级 优先, dependency 依赖, calendar 日历 行事历, event 事件 日程事件 活动, activity 活跃 活动记录,
meeting conference 会议 开会, meeting-room 会议室, video-meeting 视频会议, minutes 纪要 会议纪要 妙记, interview 面试,
candidate 候选人 应聘者, recruit hire 招聘 招募, resume 简历 履历, talent 人才, position job 职位 岗位 职务 兼职,
employee staff 员工 职工 雇员, department 部门 科室, company enterprise 公司 企业, organization 组织 机构 组织架构, tenant 租户,
role 角色, level 级别 等级 层级 职级, salary 薪资 工资 薪酬 薪水, attendance 考勤 出勤, clock-in punch 打卡 补卡, shift 班次,
overtime 加班, contract 合同 合约 协议, invoice 发票, bill 账单, expense cost 费用 成本 开销 花费 报销,
price 价格 单价 售价 票价 报价, amount money 金额 款项, balance 余额 结余, fee 手续费 收费, discount coupon 折扣 优惠 优惠券,
tax 税 税务, budget 预算, finance financial 财务 金融 财经, bank 银行, credit-card 信用卡, card 卡片 卡 银行卡, loan 贷款 借款,
interest-rate 利率 利息, currency 货币 币种, foreign-currency 外汇 外币, exchange-rate 汇率, stock 股票 证券 个股, fund 基金 资金,
bond 债券 国债, futures 期货, market 市场 行情 大盘, trade transaction 交易 贸易, position holding 持仓 持有, investment 投资,
profit 利润 收益 盈利, revenue income 收入 营收, asset 资产, insurance 保险 保单, points 积分, account-balance 账户余额,
product goods 商品 产品 货物, shop 商铺 商城 电商, shopping 购物, brand 品牌, inventory stock 库存, quantity number 数量,
number 编号 号码 数字, code 代码 编码 代号, source-code 源码 源代码, repository repo 仓库 代码库 代码仓库 存储库,
branch 分支 分行, merge-request pull-request 合并请求, pipeline 流水线 管道, environment 环境, variable 变量,
parameter argument 参数, function 函数 功能 云函数, method 方法 方式, interface api 接口, tool 工具, script 脚本,
command 命令 指令, program 程序 程式 小程序, application app 应用 软件 应用程序, plugin extension 插件 扩展, component 组件 部件,
module 模块, library 库, framework 框架, package 包 套餐 软件包, container 容器, cluster 集群, node 节点, instance 实例,
resource 资源, storage 存储空间 云存储 存储桶, cloud 云 云端, network 网络连接 联网, port 端口, security safe 安全,
certificate 证书, license 许可证 执照 驾照, performance 性能 绩效, memory 内存 记忆, disk 磁盘 硬盘,
device equipment 设备 装置 仪器, system 系统, platform 平台, window 窗口, button 按钮, menu 菜单, icon 图标, element 元素,
keyboard 键盘, mouse 鼠标, screen 屏幕, desktop 桌面, chart graph 图表 图形, diagram 示意图 架构图, line 线 折线 线路, bar 柱状,
pie 饼, map 地图, location place 位置 地点 场所 所在地 方位, coordinate 坐标, longitude latitude 经纬度, longitude 经度,
latitude 纬度, geocode geocoding 地理编码, geographic 地理, region area 区域 地区 行政区 行政区划 范围内, range scope 范围 区间,
radius 半径, circle 圆 圆形, polygon 多边形, rectangle 矩形, distance 距离 里程, nearby around 附近 周边 周围 邻近,
poi place 兴趣点, route directions path 路线 路径规划 路线规划 线路规划, navigation 导航, direction 方向,
drive driving 驾车 驾驶 开车 自驾, walk walking 步行 走路, bicycle cycling riding 骑行 骑车 自行车,
bus public transit 公交 公共交通 公交车 巴士, subway metro 地铁, train 火车 列车 高铁 动车 车次, station 车站 站点名 火车站 站台,
ticket 票 车票 门票 票务, remaining-ticket 余票, transfer interchange 中转 换乘 转乘, stop pass 经停 途经 途径 停留 经停站,
flight 航班 飞机 机票, airline 航空公司 航空, airport 机场, taxi ride 打车 出租车 网约车, car vehicle 汽车 车辆 轿车,
parking 停车 停车场, traffic 交通 路况 流量, traffic-jam congestion 拥堵 堵车, road 道路 路段 公路, bridge 桥,
departure 出发 出发地 起飞, start origin 起点 始发, arrival 到达 抵达, destination 目的地 终点, itinerary trip 行程,
travel trip tour 旅行 旅游 出行 游玩 出差, tour-guide 导游, attraction scenic spot sight 景点 景区 名胜, hotel 酒店 宾馆 住宿,
room 房间 客房 房, seat chair 座位 座椅 席位, adjacent 相邻, visa 签证, passport 护照, country 国家, city 城市 同城,
province 省份, international 国际, global world 全球 世界, local 本地 当地, foreign 外国 国外, restaurant 餐厅 餐馆 饭店,
food 美食 食物 食品, meal 餐食 餐 用餐 膳食 饮食, breakfast 早餐, lunch 午餐 午饭, dinner 晚餐 晚饭, dish 菜品 菜 菜肴,
recipe 菜谱 食谱 做菜, ingredient 食材 配料, soup 汤, dessert 甜品 甜点, drink beverage 饮品 饮料, allergy 过敏 过敏原,
nutrition 营养, weather 天气 气象, forecast 预报 天气预报, predict prediction 预测, temperature 温度 气温,
rain precipitation 降水 降雨 下雨, wind 风速 风力, humidity 湿度, air-quality 空气质量, warning alert 预警 警告 告警 报警,
alarm-clock 闹钟, timer 定时 计时 定时器, time 时间 时刻 时长, date 日期, today 今天 今日 当天, tomorrow 明天, yesterday 昨天,
day 每日 每天, week weekly 星期 每周 一周 周报, month monthly 月份 每月, year annual 年度 年份, hour 小时, minute 分钟,
holiday 节假日 节日, lunar-calendar 农历 黄历, birthday birth 生日 出生, age 年龄, duration period 时段 期间 周期 持续时间 用时,
timezone 时区, real-time 实时 即时, frequency 频率 频次, limit 限制 上限 限额, threshold 阈值, condition 条件, rule 规则,
policy 政策 策略, standard 标准 规范, option 选项 可选项, keyword 关键词 关键字, language 语言 语种, chinese 中文 汉语,
english 英文 英语, word vocabulary 单词 词语 词汇, sentence 句子 语句, paragraph 段落, chapter section 章节 分区, block 块 区块,
bookshelf book 书 图书 书籍 书架, dictionary 词典 字典, paper thesis 论文 文献, research 研究 调研 研发, education 教育,
course class 课程, student 学生, teacher 老师 教师, school university 学校 大学 高校, exam 考试 考题, score grade 成绩,
study learn learning 学习, health 健康, hospital 医院, doctor 医生 大夫, medical 医疗 就诊 挂号, medicine drug 药品 药物 药,
disease 疾病, patient 患者 病人, symptom 症状, exercise fitness 运动 健身 锻炼, movie film 电影, tv television 电视, game 游戏,
entertainment 娱乐, live-stream 直播, anchor 锚点 主播, danmaku bullet 弹幕, short-video 短视频, social-media 社交媒体 社交,
house property 房屋 房产 房源 楼盘, house-price 房价, home-appliance 家电 电器, smart-home 智能家居, light lamp 灯 灯光,
air-conditioner 空调, repair maintenance 维修 修理 保养 检修, correct fix 修正 纠正 修复 纠错,
technician engineer 技师 技术人员 工程师, visitor reception 访客 接待 来访, express-tracking 物流信息 快递查询,
law legal 法律 法规, case 案例 案件, test-case 测试用例 用例, test-plan 测试计划, bug 漏洞, vulnerability risk 风险,
quality 质量 品质, stage phase 阶段, step 步骤, workspace space 空间 工作空间 工作区,
board kanban dashboard 看板 仪表盘 仪表板 面板, whiteboard 白板, mind-map 思维导图 脑图, slide presentation 幻灯片 演示文稿,
gantt 甘特图, objective okr 目标, metric indicator 指标, trend 趋势 走势, ratio percentage 比例 百分比 占比 比率,
average 平均 均值, total sum 总数 总计 合计 总额, maximum 最大 最高 最多, minimum 最小 最低 最少, random 随机, unique 唯一,
duplicate 重复 去重, public 公开 公共 公众, private 私有 私人 隐私, personal individual 个人, internal 内部, external 外部 外来,
official-account 公众号, wechat 微信, wecom wework 企业微信, dingtalk 钉钉, feishu lark 飞书, weibo 微博,
xiaohongshu rednote 小红书, douyin tiktok 抖音, bilibili 哔哩哔哩, zhihu 知乎, baidu 百度, amap gaode 高德, taobao 淘宝,
alipay 支付宝, qr-code 二维码, barcode 条形码 条码, postal-code zip 邮政编码 邮编, identity-card 身份证,
profile homepage 个人主页 个人资料 用户主页, read-status 已读, unread 未读, urgent 加急 紧急, recall-message 撤回消息,
draft 草稿 草稿箱, trash recycle-bin 回收站 垃圾箱, mail-rule 收信规则, alias 别名, sender 发件人 发送者,
recipient 收件人 接收者 接收人, collaborator 协作者, collaboration 协作 合作, viewer visitor 访问者 浏览者,
visit access 访问 参观 拜访, fortune 运势 占卜, horoscope zodiac 星座 生肖, bazi 八字, divination 算命 命理, lottery 彩票 抽奖,
vote poll 投票, survey questionnaire 问卷 调查, feedback 反馈, complaint 投诉, game-character 游戏角色,
accuracy accurate 准确性 准确 精度, integrity 完整性, complexity complex 复杂性 复杂, interaction interactive 互动 交互,
quote reference 引用 参考, similar 相似 类似, intelligent smart 智能, ai artificial-intelligence 人工智能, automatic 自动,
manual 手动 手册, online 在线 线上 网上, offline 离线 线下, free 免费, free-busy 忙闲, available availability 可用 空闲,
enough 足够 充足, roaming 漫游, bandwidth 带宽, data-package 流量包, electricity 电费 用电, water 水费, gas 燃气,
energy 能源 能耗, oil 油价 汽油, gold 黄金, weight 重量 体重 权重, length 长度, unit 单位, math 数学, physics 物理,
chemistry 化学, poem poetry 诗词 古诗, story novel 故事 小说, joke 笑话, idiom 成语, name naming 起名 取名, couplet 对联,
cartoon anime 动漫 漫画 动画, cleaning clean 清洁 打扫 保洁, luggage baggage 行李, check-in 入住, check-out 退房,
homestay guesthouse 民宿, upgrade 升级, downgrade 降级, guide 指南 指引 攻略, statement 流水单 对账单, mark 标示,
diet healthy 健康饮食, design 设计, house home 家居 家庭, customer-service 客户服务, person-in-charge 责任人,
screen-recording 录屏, sum 求和, number-of-people 人数, shopping-list 购物清单, supplier vendor 供应商 商家, warehouse 库房,
wallet 钱包, blockchain 区块链, website-traffic 访问量, word-cloud 词云, table-of-contents 大纲, agenda schedule 议程,
trip-planning 行程规划, password-reset 重置密码, vector 向量, embedding 嵌入, semantic 语义, crawl scrape 抓取 爬取 采集,
crawler 爬虫, certificate-authority 证书颁发, image-generation 生图 文生图, video-generation 文生视频, background 背景,
remove-background 抠图, watermark 水印, face 人脸, ocr text-recognition 文字识别, speech-recognition 语音识别,
tts text-to-speech 语音合成, translation 译文, encoding 转码, primary-key 主键, transaction-rollback 回滚, traceback stack 堆栈,
breakpoint 断点, queue 队列, topic message-queue 消息队列, load-balancing 负载均衡, image mirror 镜像, host 宿主机, gateway 网关,
route-table 路由, switch toggle 切换 开关, user-group 用户组, blacklist 黑名单, whitelist 白名单, quota 配额 额度,
alarm-history 报警记录, order-number 订单号, tracking-number 运单号 快递单号, member-card 会员卡, refund-policy 退款政策,
signature 签章, seal stamp 印章, leave-request 请假单, reimbursement 报销单, business-trip 差旅, onboarding 入职,
resignation offboarding 离职, probation 试用期, promotion 晋升, training 培训, position-transfer 调岗, social-security 社保,
solar-term 节气, tide 潮汐, earthquake 地震, typhoon 台风, satellite 卫星, population 人口, economy economic 经济, court 法院,
patent 专利, trademark 商标, enterprise-information 工商信息 工商, shareholder 股东, financial-report 财报 财务报表,
dividend 分红, turnover 成交量 成交额, limit-up 涨停, rise 上涨, fall drop 下跌, volume 音量 体积, ring bell 铃声 响铃,
vibration 震动, brightness 亮度, battery 电池 电量, bluetooth 蓝牙, wifi 无线网, hotspot 网络热点, flashlight 手电筒,
camera 相机 摄像头, album 相册 专辑, artist singer 歌手 艺术家, lyrics 歌词, playlist 歌单 播放列表, radio 电台 广播,
podcast 播客, episode 剧集 集数, anime 番剧, uploader 博主, coin 投币 硬币, gift 礼物, task-board 任务看板, sub-task 子任务,
parent 父级 上级, child 子级 下级, root 根目录, tree 树形 树, neighbor 邻居, colleague 同事, superior manager 主管 上司 经理,
boss 老板, assign 分配 指派 派单, assignee 经办人, executor 执行人 执行者, initiator 发起人, approver 审批人 审核人,
applicant 申请人, reason 原因 理由, impact 影响, scheme solution 解决方案, solve resolve 解决, process-instance 流程实例,
carbon-copy cc 抄送人, node-status 节点状态, timeline 时间线 时间轴, countdown 倒计时, stopwatch 秒表, clock 时钟,
gmt utc 世界时间, second 秒, quarter 季度, weekday 工作日 星期几, weekend 周末, morning 早上 上午, afternoon 下午,
evening night 晚上 夜间, now 现在 目前, past 以前 过往, future 未来 将来, first 首次 第一, last 最后 末尾, left 左侧, right 右侧,
top 顶部, bottom 底部, middle center 中间 中心, before 之前, after 之后, between 之间, issue question problem 问题,
page webpage 网页, show view get 查看, count statistics 统计 统计数据 统计信息, match 匹配, locate 定位
`;

const longestWord = 4;
const han = /\p{sc=Han}+/gu;
const kana = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Read when the first Chinese text comes. */
let glossary: ReadonlyMap<string, readonly string[]> | undefined;

/** The known words of a Chinese text, the longest that fit; none of one in another language. */
export function chineseTerms(text: string): string[] {
  if (kana.test(text)) return [];
  return (text.match(han) ?? []).flatMap((run) => termsOf(run));
}

/** English for a Chinese word, the most usual first; nothing for any other. */
export function glossesOf(word: string): readonly string[] {
  return chineseTerms(word)[0] === word ? (glossary?.get(word) ?? []) : [];
}

/** The English of the Chinese words in a text. */
export function glosses(text: string): string {
  return chineseTerms(text)
    .flatMap((term) => glossary?.get(term) ?? [])
    .join(" ");
}

/** A text with English in the place of Chinese; as it is where no word is known. */
export function glossed(text: string): string {
  return chineseTerms(text).length === 0 ? text : text.replace(han, (run) => ` ${glosses(run)} `);
}

function termsOf(run: string): string[] {
  glossary ??= readTable();
  const found: string[] = [];
  for (let start = 0; start < run.length; ) {
    let end = Math.min(run.length, start + longestWord);
    while (end > start && !glossary.has(run.slice(start, end))) end--;
    if (end > start) found.push(run.slice(start, end));
    start = Math.max(end, start + 1);
  }
  return found;
}

function readTable(): ReadonlyMap<string, readonly string[]> {
  const read = new Map<string, readonly string[]>();
  for (const entry of table.split(",")) {
    const [english = "", ...chinese] = entry.trim().split(/ (?=\p{sc=Han})/u);
    const words = english.split(" ").map((word) => word.replaceAll("-", " "));
    for (const word of chinese) read.set(word, words);
  }
  return read;
}
