extension ReportWords {
    static let arabic = """
        title: توقيعات {1}
        size: الحجم
        bytes: {1} بايت
        signedFile: ما تم توقيعه
        itsHash: قيمة SHA-256 له
        itsSize: حجمه
        signatures: التوقيعات
        timestamps: الطوابع الزمنية
        checked: وقت الفحص
        judgedAsOf: الحكم بتاريخ
        chosenTime: {1}، وقت تم اختياره
        checkedBy: تم الفحص بواسطة
        trustedRule: الموثوق به
        systemAuthorities: سلطات التصديق في النظام
        onlySigner: هذا الموقّع فقط
        onlyField: هذا الحقل فقط
        leastLevel: المستوى الأدنى
        leastQualification: الحد الأدنى
        changesRule: التغييرات
        noChanges: لا يُقبل أي منها
        revocationLists: قوائم الإبطال
        policies: السياسات
        allPassed: كل شيء سليم: دون تغيير، وممن ورد اسمه أدناه.
        allChanged: ما تم توقيعه سليم، لكن المستند تغيّر بعد ذلك: انظر أدناه.
        allDoubtful: لا يمكن القول بيقين إن كل شيء سليم.
        anyFailed: توقيع واحد على الأقل غير صالح: لا تعتمد عليه.
        codeFailed: رمز السلامة مفقود أو خاطئ: لا تعتمد على الملف.
        document: المستند
        integrityCode: رمز السلامة
        unsigned: الملف غير موقّع.
        detailsInEnglish: التفاصيل مكتوبة بالإنجليزية.
        inOrder: سليم
        inOrderChanged: سليم، لكن المستند تغيّر بعد ذلك
        uncertain: غير مؤكد
        invalid: غير صالح
        when: متى
        signature: التوقيع
        timestamp: الطابع الزمني
        sinceThen: منذ ذلك الحين
        nothingChanged: لم يتغيّر شيء
        why: لماذا
        remarks: ملاحظات
        byLists: بحسب القوائم الأوروبية الموثوقة
        notChecked: ما لم يتم فحصه، وما لوحظ أيضًا
        certificate: الشهادة
        pages: الصفحات
        signer: من
        issuer: أصدرها
        believed: {1}، موثوق
        notBelieved: {1}، غير موثوق
        itselfBelieved: {1} (لم يُفحص: الثقة في هذه الشهادة نفسها)
        revoked: الإبطال
        revokedSince: أُبطلت منذ {1}
        revokedAfter: أُبطلت منذ {1}، بعد التوقيع
        revocationUnknown: غير معروف
        revocationNotNeeded: لا حاجة إلى السؤال، كما يقول المُصدِر
        notRevoked: لا
        byList: {1} (بحسب قائمة {2} بتاريخ {3})
        byAnswer: {1} (بحسب جواب {2} بتاريخ {3})
        countsUntil: {1}؛ يسري حتى {2}
        covers: يشمل
        wholeFile: الملف كله
        earlierState: الملف كما كان حينها (ما جاء لاحقًا أدناه)
        partOfFile: جزءًا من الملف فقط
        carried: ما يحمله التوقيع نفسه
        unchanged: {1}: هذه البايتات لم تتغيّر
        notUnchanged: {1}: ليس دون تغيير
        signedAt: وقت التوقيع
        asClaimed: {1}، كما يقول الموقّع
        existedAt: كان موجودًا في
        asProven: {1}، مُثبت
        stampedBy: {1} من {2}
        unnamedAuthority: سلطة غير مسمّاة
        provesUntil: {1}، لا يثبت شيئًا بعد {2}
        provesNothing: {1}، غير موثوق: لا يثبت شيئًا
        certifies: يصادق على
        permitsNothing: المستند، ولا يسمح بأي تغيير
        permitsForms: المستند، ويسمح بملء النماذج والتوقيع
        permitsAnnotations: المستند، ويسمح بالنماذج والتوقيعات والتعليقات
        locks: يقفل
        allFields: جميع حقول النموذج
        theseFields: الحقول {1}
        allFieldsBut: جميع حقول النموذج ما عدا {1}
        method: الطريقة
        level: المستوى
        qualified: مؤهَّلة
        notQualified: غير مؤهَّلة
        unknownQualified: لا يمكن القول إن كانت مؤهَّلة
        itsKey: مفتاحها
        inDevice: في جهاز مؤهَّل
        notInDevice: ليس في جهاز مؤهَّل
        unknownDevice: لا يمكن القول إن كان في جهاز مؤهَّل
        service: الخدمة
        serviceSince: {1}: {2}، {3} منذ {4}
        list: القائمة
        listNumber: {1} رقم {2} بتاريخ {3}
        outOfDate: {1}، منتهية
        forTime: للوقت
        limit: الحد
        subject: صاحب الشهادة
        serial: الرقم التسلسلي
        valid: الصلاحية
        fromTo: {1} إلى {2}
        notAsked: لم تُسأل السلطات عبر الشبكة إن كانت الشهادات قد أُبطلت: لا يُعرف إلا ما \
        يحمله الملف نفسه وما قُدِّم.
        noLists: لم تُستشر قوائم موثوقة: لا يُذكر هنا إن كان التوقيع مؤهَّلًا.
        notTruth: هل المحتوى صحيح، وهل كان للموقّع أن يوقّعه.
        more: و{1} غيرها
        claimedMark: بحسب القول
        stampedMark: مختوم
        provenMark: مُثبت
        certificateValid: صلاحية الشهادة
        unknownSigner: موقّع غير معروف
        legend: الأشرطة الرمادية: صلاحية الشهادات. الدائرة: ما يثبته طابع زمني موثوق. المعيّن: \
        ما يقوله الموقّع. الخط المتقطع: وقت الفحص.
        page: الصفحة {1}
        pageWhenSigned: الصفحة {1} عند التوقيع ({2})
        pageNow: الصفحة {1} الآن
        noPageThen: لم تكن هذه الصفحة موجودة
        noPageNow: لم تعد هذه الصفحة موجودة
        drawnBy: رسمها {1}: قد تعرض برامج أخرى الصفحات بشكل آخر. الإطارات تحدد التوقيعات.
        noPictures: لا تُظهر أي صفحة توقيعًا، ولا تبدو أي منها مختلفة عما كانت عند التوقيع.
        encryptedPages: لا تُعرض الصفحات: المستند مشفّر، والبرنامج الذي يرسم الصفحات لا يُعطى \
        كلمة مرور.
        notDrawn: لم تُعرض كل الصفحات: {1}
        notCompared: صفحات لم تُقارن بما تم توقيعه: {1}
        notMarked: توقيعات لم يُبحث عنها في الصفحات: {1}
        """

    static let chinese = """
        title: {1} 的签名
        size: 大小
        bytes: {1} 字节
        signedFile: 签名对象
        itsHash: 其 SHA-256
        itsSize: 其大小
        signatures: 签名
        timestamps: 时间戳
        checked: 检查时间
        judgedAsOf: 判断时点
        chosenTime: {1}（选定的时间）
        checkedBy: 检查程序
        trustedRule: 信任
        systemAuthorities: 系统的证书颁发机构
        onlySigner: 仅限此签名人
        onlyField: 仅限字段
        leastLevel: 最低级别
        leastQualification: 最低要求
        changesRule: 更改
        noChanges: 不接受任何更改
        revocationLists: 吊销列表
        policies: 策略
        allPassed: 一切正常：未被更改，签名人见下文。
        allChanged: 签名的内容正常，但文档此后已被更改：见下文。
        allDoubtful: 无法确定一切正常。
        anyFailed: 至少有一个签名无效：请勿信赖。
        codeFailed: 完整性代码缺失或错误：请勿依赖此文件。
        document: 文档
        integrityCode: 完整性代码
        unsigned: 该文件没有签名。
        detailsInEnglish: 详细说明为英文。
        inOrder: 正常
        inOrderChanged: 正常，但文档此后已被更改
        uncertain: 不确定
        invalid: 无效
        when: 时间
        signature: 签名
        timestamp: 时间戳
        sinceThen: 此后
        nothingChanged: 没有更改
        why: 原因
        remarks: 备注
        byLists: 根据欧洲可信列表
        notChecked: 未检查的事项及其他发现
        certificate: 证书
        pages: 页面
        signer: 签名人
        issuer: 颁发者
        believed: {1}，受信任
        notBelieved: {1}，不受信任
        itselfBelieved: {1}（未检查：所信任的正是此证书）
        revoked: 是否吊销
        revokedSince: 自 {1} 起已吊销
        revokedAfter: 自 {1} 起已吊销，在签名之后
        revocationUnknown: 未知
        revocationNotNeeded: 颁发者称无需查询
        notRevoked: 否
        byList: {1}（依据 {2} 于 {3} 的列表）
        byAnswer: {1}（依据 {2} 于 {3} 的答复）
        countsUntil: {1}；有效至 {2}
        covers: 覆盖范围
        wholeFile: 整个文件
        earlierState: 文件当时的状态（之后的更改见下文）
        partOfFile: 仅文件的一部分
        carried: 签名自身携带的内容
        unchanged: {1}：这些字节未被更改
        notUnchanged: {1}：并非未被更改
        signedAt: 签名时间
        asClaimed: {1}（签名人所称）
        existedAt: 存在时间
        asProven: {1}（已证明）
        stampedBy: {1}，由 {2} 签发
        unnamedAuthority: 未具名的机构
        provesUntil: {1}，{2} 之后不再证明任何事
        provesNothing: {1}，不受信任：不证明任何事
        certifies: 认证
        permitsNothing: 文档，不允许任何更改
        permitsForms: 文档，允许填写表单和签名
        permitsAnnotations: 文档，允许表单、签名和批注
        locks: 锁定
        allFields: 表单的所有字段
        theseFields: 字段 {1}
        allFieldsBut: 表单的所有字段，{1} 除外
        method: 方法
        level: 级别
        qualified: 合格
        notQualified: 不合格
        unknownQualified: 无法判断是否合格
        itsKey: 其密钥
        inDevice: 在合格设备中
        notInDevice: 不在合格设备中
        unknownDevice: 无法判断是否在合格设备中
        service: 服务
        serviceSince: {1}：{2}，自 {4} 起 {3}
        list: 列表
        listNumber: {1} 第 {2} 号，{3}
        outOfDate: {1}，已过期
        forTime: 针对的时间
        limit: 限额
        subject: 主体
        serial: 序列号
        valid: 有效期
        fromTo: {1} 至 {2}
        notAsked: 没有通过网络向机构查询证书是否已吊销：只知道文件自身带有的和所提供的信息。
        noLists: 没有查询可信列表：此处不说明签名是否合格。
        notTruth: 内容是否真实，以及签名人是否有权签名。
        more: 以及另外 {1} 项
        claimedMark: 声称
        stampedMark: 盖戳
        provenMark: 已证明
        certificateValid: 证书有效期
        unknownSigner: 未知签名人
        legend: 灰色条：证书的有效期。圆：受信任的时间戳所证明的时间。菱形：签名人所称的时间。虚线：检查的时间。
        page: 第 {1} 页
        pageWhenSigned: 签名时的第 {1} 页（{2}）
        pageNow: 现在的第 {1} 页
        noPageThen: 当时没有这一页
        noPageNow: 现在已没有这一页
        drawnBy: 由 {1} 绘制：其他程序显示的页面可能不同。方框标出签名。
        noPictures: 没有页面显示签名，也没有页面与签名时不同。
        encryptedPages: 不显示页面：文档已加密，而绘制页面的程序得不到密码。
        notDrawn: 未显示全部页面：{1}
        notCompared: 未与签名内容比较的页数：{1}
        notMarked: 未在页面上查找的签名数：{1}
        """
}
