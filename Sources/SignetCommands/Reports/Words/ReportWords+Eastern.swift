extension ReportWords {
    static let polish = """
        title: Podpisy dokumentu {1}
        size: Rozmiar
        bytes: {1} bajtów
        signedFile: Co jest podpisane
        itsHash: Jego SHA-256
        itsSize: Jego rozmiar
        signatures: Podpisy
        timestamps: Znaczniki czasu
        checked: Sprawdzono
        judgedAsOf: Oceniono na dzień
        chosenTime: {1}, wybrany czas
        checkedBy: Sprawdził program
        trustedRule: Zaufanie
        systemAuthorities: urzędy certyfikacji systemu
        onlySigner: Tylko ten podpisujący
        onlyField: Tylko pole
        leastLevel: Co najmniej poziom
        leastQualification: Co najmniej
        changesRule: Zmiany
        noChanges: żadne nie są przyjmowane
        revocationLists: Listy unieważnień
        policies: Polityki
        allPassed: Wszystko jest w porządku: bez zmian i od osoby wymienionej niżej.
        allChanged: To, co podpisano, jest w porządku, ale dokument został potem ZMIENIONY: \
        patrz niżej.
        allDoubtful: Nie można z pewnością powiedzieć, że wszystko jest w porządku.
        anyFailed: Co najmniej jeden podpis jest nieważny: nie należy na nim polegać.
        codeFailed: Brakuje kodu integralności lub jest błędny: nie należy polegać na pliku.
        document: Dokument
        integrityCode: Kod integralności
        unsigned: Plik nie jest podpisany.
        detailsInEnglish: Szczegóły podano po angielsku.
        inOrder: w porządku
        inOrderChanged: w porządku, ale dokument został potem zmieniony
        uncertain: niepewne
        invalid: nieważny
        when: Kiedy
        signature: Podpis
        timestamp: Znacznik czasu
        sinceThen: Od tego czasu
        nothingChanged: nic nie zmieniono
        why: Dlaczego
        remarks: Uwagi
        byLists: Według europejskich zaufanych list
        notChecked: Czego nie sprawdzono i co jeszcze zauważono
        certificate: Certyfikat
        pages: Strony
        signer: Kto
        issuer: Wystawca
        believed: {1}, zaufany
        notBelieved: {1}, niezaufany
        itselfBelieved: {1} (nie sprawdzono: zaufano właśnie temu certyfikatowi)
        revoked: Unieważniony
        revokedSince: od {1}
        revokedAfter: od {1}, po podpisaniu
        revocationUnknown: nie wiadomo
        revocationNotNeeded: nie trzeba pytać, podaje wystawca
        notRevoked: nie
        byList: {1} (według listy {2} z {3})
        byAnswer: {1} (według odpowiedzi {2} z {3})
        countsUntil: {1}; obowiązuje do {2}
        covers: Obejmuje
        wholeFile: cały plik
        earlierState: plik w ówczesnym stanie (późniejsze zmiany są niżej)
        partOfFile: tylko część pliku
        carried: to, co niesie sam podpis
        unchanged: {1}: te bajty są niezmienione
        notUnchanged: {1}: nie bez zmian
        signedAt: Podpisano
        asClaimed: {1}, jak podaje podpisujący
        existedAt: Istniało
        asProven: {1}, udowodniono
        stampedBy: {1}, wystawił {2}
        unnamedAuthority: nienazwany urząd
        provesUntil: {1}, po {2} niczego nie dowodzi
        provesNothing: {1}, niezaufany: niczego nie dowodzi
        certifies: Poświadcza
        permitsNothing: dokument, nie zezwala na zmiany
        permitsForms: dokument, zezwala na wypełnianie formularzy i podpisywanie
        permitsAnnotations: dokument, zezwala na formularze, podpisy i adnotacje
        locks: Blokuje
        allFields: wszystkie pola formularza
        theseFields: pola {1}
        allFieldsBut: wszystkie pola formularza oprócz {1}
        method: Metoda
        level: Poziom
        qualified: kwalifikowany
        notQualified: niekwalifikowany
        unknownQualified: nie można powiedzieć, czy jest kwalifikowany
        itsKey: Jego klucz
        inDevice: w urządzeniu kwalifikowanym
        notInDevice: nie w urządzeniu kwalifikowanym
        unknownDevice: nie można powiedzieć, czy jest w urządzeniu kwalifikowanym
        service: Usługa
        serviceSince: {1}: {2}, {3} od {4}
        list: Lista
        listNumber: {1} numer {2} z {3}
        outOfDate: {1}, nieaktualna
        forTime: Na czas
        limit: Ograniczenie
        subject: Właściciel
        serial: Numer seryjny
        valid: Ważność
        fromTo: {1} do {2}
        notAsked: Nie pytano urzędów przez sieć, czy certyfikaty unieważniono: wiadomo tylko \
        to, co zawiera sam plik i co podano.
        noLists: Nie użyto zaufanych list: nie mówi się tu, czy podpis jest kwalifikowany.
        notTruth: Czy treść jest prawdziwa i czy podpisujący mógł ją podpisać.
        more: i jeszcze {1}
        claimedMark: podano
        stampedMark: oznaczono
        provenMark: udowodniono
        certificateValid: ważność certyfikatu
        unknownSigner: nieznany podpisujący
        legend: Szare paski: ważność certyfikatów. Koło: czego dowodzi zaufany znacznik czasu. \
        Romb: co podaje podpisujący. Linia przerywana: kiedy sprawdzono.
        page: Strona {1}
        pageWhenSigned: Strona {1} przy podpisie ({2})
        pageNow: Strona {1} teraz
        noPageThen: takiej strony nie było
        noPageNow: takiej strony już nie ma
        drawnBy: Narysował {1}: inne programy mogą pokazywać strony inaczej. Ramki oznaczają \
        podpisy.
        noPictures: Żadna strona nie pokazuje podpisu i żadna nie wygląda inaczej niż przy \
        podpisie.
        encryptedPages: Stron nie pokazano: dokument jest zaszyfrowany, a program rysujący \
        strony nie otrzymuje hasła.
        notDrawn: Nie pokazano wszystkich stron: {1}
        notCompared: Strony, których nie porównano z podpisanymi: {1}
        notMarked: Podpisy, których nie szukano na stronach: {1}
        """

    static let ukrainian = """
        title: Підписи документа {1}
        size: Розмір
        bytes: {1} байтів
        signedFile: Що підписано
        itsHash: Його SHA-256
        itsSize: Його розмір
        signatures: Підписи
        timestamps: Позначки часу
        checked: Перевірено
        judgedAsOf: Оцінено станом на
        chosenTime: {1}, обраний час
        checkedBy: Перевірила програма
        trustedRule: Довіра
        systemAuthorities: центри сертифікації системи
        onlySigner: Лише цей підписувач
        onlyField: Лише поле
        leastLevel: Щонайменше рівень
        leastQualification: Щонайменше
        changesRule: Зміни
        noChanges: жодні не приймаються
        revocationLists: Списки відкликаних сертифікатів
        policies: Політики
        allPassed: Усе гаразд: без змін і від того, кого названо нижче.
        allChanged: Те, що підписано, гаразд, але документ потім ЗМІНЕНО: див. нижче.
        allDoubtful: Не можна з певністю сказати, що все гаразд.
        anyFailed: Щонайменше один підпис недійсний: не покладайтеся на нього.
        codeFailed: Код цілісності відсутній або неправильний: не покладайтеся на файл.
        document: Документ
        integrityCode: Код цілісності
        unsigned: Файл не підписано.
        detailsInEnglish: Подробиці подано англійською.
        inOrder: гаразд
        inOrderChanged: гаразд, але документ потім змінено
        uncertain: не певно
        invalid: недійсний
        when: Коли
        signature: Підпис
        timestamp: Позначка часу
        sinceThen: Відтоді
        nothingChanged: нічого не змінено
        why: Чому
        remarks: Зауваження
        byLists: За європейськими довірчими списками
        notChecked: Що не перевірено і що ще помічено
        certificate: Сертифікат
        pages: Сторінки
        signer: Хто
        issuer: Видав
        believed: {1}, довірений
        notBelieved: {1}, не довірений
        itselfBelieved: {1} (не перевірено: довіра саме до цього сертифіката)
        revoked: Відкликано
        revokedSince: з {1}
        revokedAfter: з {1}, після підписання
        revocationUnknown: невідомо
        revocationNotNeeded: питати не потрібно, каже видавець
        notRevoked: ні
        byList: {1} (за списком {2} від {3})
        byAnswer: {1} (за відповіддю {2} від {3})
        countsUntil: {1}; чинно до {2}
        covers: Охоплює
        wholeFile: увесь файл
        earlierState: файл у тодішньому стані (пізніше — нижче)
        partOfFile: лише частину файлу
        carried: те, що містить сам підпис
        unchanged: {1}: ці байти незмінні
        notUnchanged: {1}: не без змін
        signedAt: Підписано
        asClaimed: {1}, за словами підписувача
        existedAt: Існувало
        asProven: {1}, доведено
        stampedBy: {1}, видав {2}
        unnamedAuthority: неназваний центр
        provesUntil: {1}, після {2} нічого не доводить
        provesNothing: {1}, не довірена: нічого не доводить
        certifies: Засвідчує
        permitsNothing: документ, не дозволяє змін
        permitsForms: документ, дозволяє заповнювати форми й підписувати
        permitsAnnotations: документ, дозволяє форми, підписи й анотації
        locks: Блокує
        allFields: усі поля форми
        theseFields: поля {1}
        allFieldsBut: усі поля форми, крім {1}
        method: Метод
        level: Рівень
        qualified: кваліфікований
        notQualified: не кваліфікований
        unknownQualified: не можна сказати, чи кваліфікований
        itsKey: Його ключ
        inDevice: у кваліфікованому засобі
        notInDevice: не в кваліфікованому засобі
        unknownDevice: не можна сказати, чи в кваліфікованому засобі
        service: Послуга
        serviceSince: {1}: {2}, {3} з {4}
        list: Список
        listNumber: {1} номер {2} від {3}
        outOfDate: {1}, застарілий
        forTime: На час
        limit: Обмеження
        subject: Власник
        serial: Серійний номер
        valid: Чинність
        fromTo: {1} до {2}
        notAsked: Центри не запитували мережею, чи відкликано сертифікати: відомо лише те, що \
        містить сам файл і що було надано.
        noLists: Довірчих списків не використано: тут не сказано, чи є підпис кваліфікованим.
        notTruth: Чи правдивий зміст і чи мав підписувач право його підписати.
        more: і ще {1}
        claimedMark: заявлено
        stampedMark: позначено
        provenMark: доведено
        certificateValid: чинність сертифіката
        unknownSigner: невідомий підписувач
        legend: Сірі смуги: чинність сертифікатів. Коло: що доводить довірена позначка часу. \
        Ромб: що каже підписувач. Пунктир: коли перевірено.
        page: Сторінка {1}
        pageWhenSigned: Сторінка {1} під час підписання ({2})
        pageNow: Сторінка {1} зараз
        noPageThen: такої сторінки не було
        noPageNow: такої сторінки вже немає
        drawnBy: Намалювала програма {1}: інші можуть показувати сторінки інакше. Рамки \
        позначають підписи.
        noPictures: Жодна сторінка не показує підпису, і жодна не виглядає інакше, ніж під час \
        підписання.
        encryptedPages: Сторінок не показано: документ зашифровано, а програма, що малює \
        сторінки, не отримує пароля.
        notDrawn: Показано не всі сторінки: {1}
        notCompared: Сторінки, які не порівняно з підписаними: {1}
        notMarked: Підписи, яких не шукали на сторінках: {1}
        """
}
