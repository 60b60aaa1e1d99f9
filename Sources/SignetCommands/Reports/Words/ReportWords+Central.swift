extension ReportWords {
    static let czech = """
        title: Podpisy dokumentu {1}
        size: Velikost
        bytes: {1} bajtů
        signedFile: Co je podepsáno
        itsHash: Jeho SHA-256
        itsSize: Jeho velikost
        signatures: Podpisy
        timestamps: Časová razítka
        checked: Ověřeno
        judgedAsOf: Posouzeno ke dni
        chosenTime: {1}, zvolený čas
        checkedBy: Ověřil program
        trustedRule: Důvěra
        systemAuthorities: certifikační autority systému
        onlySigner: Pouze tento podepisující
        onlyField: Pouze pole
        leastLevel: Nejméně úroveň
        leastQualification: Nejméně
        changesRule: Změny
        noChanges: nepřijímají se žádné
        revocationLists: Seznamy odvolaných certifikátů
        policies: Zásady
        allPassed: Vše je v pořádku: beze změny a od toho, kdo je uveden níže.
        allChanged: Co bylo podepsáno, je v pořádku, ale dokument byl poté ZMĚNĚN: viz níže.
        allDoubtful: Nelze s jistotou říci, že je vše v pořádku.
        anyFailed: Nejméně jeden podpis je neplatný: nespoléhejte na něj.
        codeFailed: Kód integrity chybí nebo je nesprávný: na soubor se nespoléhejte.
        document: Dokument
        integrityCode: Kód integrity
        unsigned: Soubor není podepsán.
        detailsInEnglish: Podrobnosti jsou uvedeny anglicky.
        inOrder: v pořádku
        inOrderChanged: v pořádku, ale dokument byl poté změněn
        uncertain: není jisté
        invalid: neplatné
        when: Kdy
        signature: Podpis
        timestamp: Časové razítko
        sinceThen: Od té doby
        nothingChanged: beze změny
        why: Proč
        remarks: Poznámky
        byLists: Podle evropských důvěryhodných seznamů
        notChecked: Co nebylo ověřeno a čeho jsme si ještě všimli
        certificate: Certifikát
        pages: Stránky
        signer: Kdo
        issuer: Vydal
        believed: {1}, důvěryhodný
        notBelieved: {1}, nedůvěryhodný
        itselfBelieved: {1} (neověřeno: důvěřuje se přímo tomuto certifikátu)
        revoked: Odvolán
        revokedSince: od {1}
        revokedAfter: od {1}, po podepsání
        revocationUnknown: není známo
        revocationNotNeeded: podle vydavatele není třeba se ptát
        notRevoked: ne
        byList: {1} (podle seznamu vydavatele {2} z {3})
        byAnswer: {1} (podle odpovědi vydavatele {2} z {3})
        countsUntil: {1}; platí do {2}
        covers: Zahrnuje
        wholeFile: celý soubor
        earlierState: soubor v tehdejší podobě (pozdější změny jsou níže)
        partOfFile: jen část souboru
        carried: to, co nese sám podpis
        unchanged: {1}: tyto bajty jsou beze změny
        notUnchanged: {1}: nikoli beze změny
        signedAt: Podepsáno
        asClaimed: {1}, jak uvádí podepisující
        existedAt: Existovalo
        asProven: {1}, prokázáno
        stampedBy: {1}, vydal {2}
        unnamedAuthority: nejmenovaná autorita
        provesUntil: {1}, po {2} nic nedokazuje
        provesNothing: {1}, nedůvěryhodné: nic nedokazuje
        certifies: Certifikuje
        permitsNothing: dokument, nedovoluje žádné změny
        permitsForms: dokument, dovoluje vyplňovat formuláře a podepisovat
        permitsAnnotations: dokument, dovoluje formuláře, podpisy a poznámky
        locks: Zamyká
        allFields: všechna pole formuláře
        theseFields: pole {1}
        allFieldsBut: všechna pole formuláře kromě {1}
        method: Metoda
        level: Úroveň
        qualified: kvalifikovaný
        notQualified: není kvalifikovaný
        unknownQualified: nelze říci, zda je kvalifikovaný
        itsKey: Jeho klíč
        inDevice: v kvalifikovaném prostředku
        notInDevice: není v kvalifikovaném prostředku
        unknownDevice: nelze říci, zda je v kvalifikovaném prostředku
        service: Služba
        serviceSince: {1}: {2}, {3} od {4}
        list: Seznam
        listNumber: {1} číslo {2} z {3}
        outOfDate: {1}, neaktuální
        forTime: K času
        limit: Omezení
        subject: Držitel
        serial: Sériové číslo
        valid: Platnost
        fromTo: {1} až {2}
        notAsked: Autority nebyly po síti dotázány, zda byly certifikáty odvolány: známo je \
        jen to, co přináší sám soubor a co bylo zadáno.
        noLists: Nebyly použity žádné důvěryhodné seznamy: zda je podpis kvalifikovaný, se zde \
        neříká.
        notTruth: Zda je obsah pravdivý a zda jej podepisující směl podepsat.
        more: a další: {1}
        claimedMark: uvedeno
        stampedMark: orazítkováno
        provenMark: prokázáno
        certificateValid: platnost certifikátu
        unknownSigner: neznámý podepisující
        legend: Šedé pruhy: platnost certifikátů. Kruh: co dokazuje důvěryhodné časové \
        razítko. Kosočtverec: co uvádí podepisující. Čárkovaně: kdy se ověřovalo.
        page: Stránka {1}
        pageWhenSigned: Stránka {1} při podpisu ({2})
        pageNow: Stránka {1} nyní
        noPageThen: taková stránka nebyla
        noPageNow: taková stránka už není
        drawnBy: Nakreslil {1}: jiné programy mohou stránky zobrazit jinak. Rámečky označují \
        podpisy.
        noPictures: Žádná stránka neukazuje podpis a žádná nevypadá jinak než při podpisu.
        encryptedPages: Stránky nejsou zobrazeny: dokument je zašifrován a program, který \
        stránky kreslí, nedostává heslo.
        notDrawn: Nejsou zobrazeny všechny stránky: {1}
        notCompared: Stránky, které nebyly porovnány s podepsanými: {1}
        notMarked: Podpisy, které nebyly na stránkách hledány: {1}
        """

    static let german = """
        title: Signaturen von {1}
        size: Größe
        bytes: {1} Byte
        signedFile: Was signiert ist
        itsHash: Deren SHA-256
        itsSize: Deren Größe
        signatures: Signaturen
        timestamps: Zeitstempel
        checked: Geprüft
        judgedAsOf: Beurteilt zum
        chosenTime: {1}, ein gewählter Zeitpunkt
        checkedBy: Geprüft mit
        trustedRule: Vertraut wird
        systemAuthorities: den Zertifizierungsstellen des Systems
        onlySigner: Nur diesem Unterzeichner
        onlyField: Nur das Feld
        leastLevel: Mindestens die Stufe
        leastQualification: Mindestens
        changesRule: Änderungen
        noChanges: werden nicht hingenommen
        revocationLists: Sperrlisten
        policies: Richtlinien
        allPassed: Alles ist in Ordnung: unverändert und von denen, die unten genannt sind.
        allChanged: Was signiert wurde, ist in Ordnung, aber das Dokument wurde danach \
        GEÄNDERT: siehe unten.
        allDoubtful: Es lässt sich nicht sicher sagen, dass alles in Ordnung ist.
        anyFailed: Mindestens eine Signatur ist ungültig: Verlassen Sie sich nicht darauf.
        codeFailed: Der Integritätscode fehlt oder ist falsch: Verlassen Sie sich nicht auf die Datei.
        document: Das Dokument
        integrityCode: Integritätscode
        unsigned: Die Datei ist nicht signiert.
        detailsInEnglish: Einzelheiten stehen auf Englisch.
        inOrder: in Ordnung
        inOrderChanged: in Ordnung, aber das Dokument wurde danach geändert
        uncertain: nicht sicher
        invalid: ungültig
        when: Wann
        signature: Signatur
        timestamp: Zeitstempel
        sinceThen: Seither
        nothingChanged: nichts geändert
        why: Warum
        remarks: Anmerkungen
        byLists: Nach den europäischen Vertrauenslisten
        notChecked: Was nicht geprüft wurde und was sonst auffiel
        certificate: Zertifikat
        pages: Seiten
        signer: Wer
        issuer: Ausgestellt von
        believed: {1}, vertraut
        notBelieved: {1}, nicht vertraut
        itselfBelieved: {1} (nicht geprüft: vertraut wird genau diesem Zertifikat)
        revoked: Gesperrt
        revokedSince: seit {1}
        revokedAfter: seit {1}, nach dem Signieren
        revocationUnknown: nicht bekannt
        revocationNotNeeded: braucht nicht erfragt zu werden, sagt der Aussteller
        notRevoked: nein
        byList: {1} (laut Liste von {2} vom {3})
        byAnswer: {1} (laut Auskunft von {2} vom {3})
        countsUntil: {1}; gilt bis {2}
        covers: Umfasst
        wholeFile: die ganze Datei
        earlierState: die Datei, wie sie damals war (was später kam, steht unten)
        partOfFile: nur einen Teil der Datei
        carried: was die Signatur selbst enthält
        unchanged: {1}: diese Bytes sind unverändert
        notUnchanged: {1}: nicht unverändert
        signedAt: Signiert am
        asClaimed: {1}, wie der Unterzeichner angibt
        existedAt: Vorhanden am
        asProven: {1}, bewiesen
        stampedBy: {1} von {2}
        unnamedAuthority: einer ungenannten Stelle
        provesUntil: {1}, beweist nach dem {2} nichts
        provesNothing: {1}, nicht vertraut: beweist nichts
        certifies: Zertifiziert
        permitsNothing: das Dokument, erlaubt keine Änderungen
        permitsForms: das Dokument, erlaubt Ausfüllen von Formularen und Signieren
        permitsAnnotations: das Dokument, erlaubt Formulare, Signaturen und Anmerkungen
        locks: Sperrt
        allFields: alle Felder des Formulars
        theseFields: die Felder {1}
        allFieldsBut: alle Felder des Formulars außer {1}
        method: Verfahren
        level: Stufe
        qualified: qualifiziert
        notQualified: nicht qualifiziert
        unknownQualified: ob qualifiziert, lässt sich nicht sagen
        itsKey: Sein Schlüssel
        inDevice: in einer qualifizierten Einheit
        notInDevice: nicht in einer qualifizierten Einheit
        unknownDevice: ob in einer qualifizierten Einheit, lässt sich nicht sagen
        service: Dienst
        serviceSince: {1}: {2}, {3} seit {4}
        list: Liste
        listNumber: {1} Nummer {2} vom {3}
        outOfDate: {1}, abgelaufen
        forTime: Für den Zeitpunkt
        limit: Grenze
        subject: Inhaber
        serial: Seriennummer
        valid: Gültig
        fromTo: {1} bis {2}
        notAsked: Die Zertifizierungsstellen wurden nicht über das Netz gefragt, ob \
        Zertifikate gesperrt wurden: Bekannt ist nur, was die Datei selbst mitbringt und was \
        angegeben wurde.
        noLists: Es wurden keine Vertrauenslisten befragt: Ob eine Signatur qualifiziert ist, \
        wird hier nicht gesagt.
        notTruth: Ob der Inhalt wahr ist und ob der Unterzeichner ihn signieren durfte.
        more: und {1} weitere
        claimedMark: angegeben
        stampedMark: gestempelt
        provenMark: bewiesen
        certificateValid: Zertifikat gültig
        unknownSigner: unbekannter Unterzeichner
        legend: Graue Balken: Gültigkeit der Zertifikate. Kreis: was ein vertrauter \
        Zeitstempel beweist. Raute: was der Unterzeichner angibt. Gestrichelt: wann geprüft \
        wurde.
        page: Seite {1}
        pageWhenSigned: Seite {1} beim Signieren ({2})
        pageNow: Seite {1} jetzt
        noPageThen: diese Seite gab es nicht
        noPageNow: diese Seite gibt es nicht mehr
        drawnBy: Gezeichnet von {1}: Andere Programme zeigen Seiten vielleicht anders. Rahmen \
        kennzeichnen Signaturen.
        noPictures: Keine Seite zeigt eine Signatur, und keine sieht anders aus als beim \
        Signieren.
        encryptedPages: Die Seiten werden nicht gezeigt: Das Dokument ist verschlüsselt, und \
        das Programm, das Seiten zeichnet, bekommt kein Passwort.
        notDrawn: Nicht alle Seiten werden gezeigt: {1}
        notCompared: Seiten, die nicht mit dem Signierten verglichen wurden: {1}
        notMarked: Signaturen, die auf den Seiten nicht gesucht wurden: {1}
        """

    static let slovak = """
        title: Podpisy dokumentu {1}
        size: Veľkosť
        bytes: {1} bajtov
        signedFile: Čo je podpísané
        itsHash: Jeho SHA-256
        itsSize: Jeho veľkosť
        signatures: Podpisy
        timestamps: Časové pečiatky
        checked: Overené
        judgedAsOf: Posúdené ku dňu
        chosenTime: {1}, zvolený čas
        checkedBy: Overil program
        trustedRule: Dôvera
        systemAuthorities: certifikačné autority systému
        onlySigner: Iba tento podpisujúci
        onlyField: Iba pole
        leastLevel: Najmenej úroveň
        leastQualification: Najmenej
        changesRule: Zmeny
        noChanges: neprijímajú sa žiadne
        revocationLists: Zoznamy zrušených certifikátov
        policies: Zásady
        allPassed: Všetko je v poriadku: bez zmeny a od toho, kto je uvedený nižšie.
        allChanged: Čo bolo podpísané, je v poriadku, ale dokument bol potom ZMENENÝ: pozri \
        nižšie.
        allDoubtful: Nedá sa s istotou povedať, že je všetko v poriadku.
        anyFailed: Najmenej jeden podpis je neplatný: nespoliehajte sa naň.
        codeFailed: Kód integrity chýba alebo je nesprávny: na súbor sa nespoliehajte.
        document: Dokument
        integrityCode: Kód integrity
        unsigned: Súbor nie je podpísaný.
        detailsInEnglish: Podrobnosti sú uvedené po anglicky.
        inOrder: v poriadku
        inOrderChanged: v poriadku, ale dokument bol potom zmenený
        uncertain: nie je isté
        invalid: neplatné
        when: Kedy
        signature: Podpis
        timestamp: Časová pečiatka
        sinceThen: Odvtedy
        nothingChanged: bez zmeny
        why: Prečo
        remarks: Poznámky
        byLists: Podľa európskych dôveryhodných zoznamov
        notChecked: Čo nebolo overené a čo sme si ešte všimli
        certificate: Certifikát
        pages: Strany
        signer: Kto
        issuer: Vydal
        believed: {1}, dôveryhodný
        notBelieved: {1}, nedôveryhodný
        itselfBelieved: {1} (neoverené: dôveruje sa priamo tomuto certifikátu)
        revoked: Zrušený
        revokedSince: od {1}
        revokedAfter: od {1}, po podpísaní
        revocationUnknown: nie je známe
        revocationNotNeeded: podľa vydavateľa sa netreba pýtať
        notRevoked: nie
        byList: {1} (podľa zoznamu vydavateľa {2} z {3})
        byAnswer: {1} (podľa odpovede vydavateľa {2} z {3})
        countsUntil: {1}; platí do {2}
        covers: Zahŕňa
        wholeFile: celý súbor
        earlierState: súbor vo vtedajšej podobe (neskoršie zmeny sú nižšie)
        partOfFile: iba časť súboru
        carried: to, čo nesie sám podpis
        unchanged: {1}: tieto bajty sú bez zmeny
        notUnchanged: {1}: nie bez zmeny
        signedAt: Podpísané
        asClaimed: {1}, ako uvádza podpisujúci
        existedAt: Existovalo
        asProven: {1}, preukázané
        stampedBy: {1}, vydal {2}
        unnamedAuthority: nemenovaná autorita
        provesUntil: {1}, po {2} nič nedokazuje
        provesNothing: {1}, nedôveryhodné: nič nedokazuje
        certifies: Certifikuje
        permitsNothing: dokument, nedovoľuje žiadne zmeny
        permitsForms: dokument, dovoľuje vypĺňať formuláre a podpisovať
        permitsAnnotations: dokument, dovoľuje formuláre, podpisy a poznámky
        locks: Zamyká
        allFields: všetky polia formulára
        theseFields: polia {1}
        allFieldsBut: všetky polia formulára okrem {1}
        method: Metóda
        level: Úroveň
        qualified: kvalifikovaný
        notQualified: nie je kvalifikovaný
        unknownQualified: nedá sa povedať, či je kvalifikovaný
        itsKey: Jeho kľúč
        inDevice: v kvalifikovanom zariadení
        notInDevice: nie je v kvalifikovanom zariadení
        unknownDevice: nedá sa povedať, či je v kvalifikovanom zariadení
        service: Služba
        serviceSince: {1}: {2}, {3} od {4}
        list: Zoznam
        listNumber: {1} číslo {2} z {3}
        outOfDate: {1}, neaktuálny
        forTime: K času
        limit: Obmedzenie
        subject: Držiteľ
        serial: Sériové číslo
        valid: Platnosť
        fromTo: {1} až {2}
        notAsked: Autority neboli po sieti opýtané, či boli certifikáty zrušené: známe je len \
        to, čo prináša sám súbor a čo bolo zadané.
        noLists: Neboli použité žiadne dôveryhodné zoznamy: či je podpis kvalifikovaný, sa tu \
        nehovorí.
        notTruth: Či je obsah pravdivý a či ho podpisujúci smel podpísať.
        more: a ďalšie: {1}
        claimedMark: uvedené
        stampedMark: opečiatkované
        provenMark: preukázané
        certificateValid: platnosť certifikátu
        unknownSigner: neznámy podpisujúci
        legend: Sivé pruhy: platnosť certifikátov. Kruh: čo dokazuje dôveryhodná časová \
        pečiatka. Kosoštvorec: čo uvádza podpisujúci. Čiarkovane: kedy sa overovalo.
        page: Strana {1}
        pageWhenSigned: Strana {1} pri podpise ({2})
        pageNow: Strana {1} teraz
        noPageThen: taká strana nebola
        noPageNow: taká strana už nie je
        drawnBy: Nakreslil {1}: iné programy môžu strany zobraziť inak. Rámčeky označujú \
        podpisy.
        noPictures: Žiadna strana neukazuje podpis a žiadna nevyzerá inak než pri podpise.
        encryptedPages: Strany nie sú zobrazené: dokument je zašifrovaný a program, ktorý \
        strany kreslí, nedostáva heslo.
        notDrawn: Nie sú zobrazené všetky strany: {1}
        notCompared: Strany, ktoré neboli porovnané s podpísanými: {1}
        notMarked: Podpisy, ktoré neboli na stranách hľadané: {1}
        """
}
